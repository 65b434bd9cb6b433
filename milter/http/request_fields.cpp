#include "milter/http/request_fields.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "milter/http/http_message.h"

namespace shingled::milter::http {

namespace {

/// A proxy may look at the first of two, and we at the last.
constexpr std::array<std::string_view, 6> kOnce = {
    "Host", "Authorization", "Content-Type", "Content-Encoding", kKeyHeader, kCsrfHeader};
constexpr unsigned kBadRequest = 400;
constexpr unsigned kUnsupportedMediaType = 415;

}  // namespace

void RequestFields::see(std::string_view name, std::string_view value) {
  const auto is = [&](std::string_view one) { return ascii::equal_ignoring_case(name, one); };
  if (const auto once = std::ranges::find_if(kOnce, is); once != kOnce.end()) {
    if (!seen_.insert(*once).second) twice_ = *once;
  }
  if (is("Transfer-Encoding")) has_body = chunked_ = true;
  if (is("Content-Encoding") && !ascii::equal_ignoring_case(value, "identity")) encoded_ = true;
  if (!is("Content-Length")) return;
  ++lengths_;
  if (value == "0") return;
  has_body = true;
  bytes = parse_whole<std::uint64_t>(value).value_or(UINT64_MAX);
}

RequestFields::Refusal RequestFields::refusal() const {
  // Otherwise another server may see another end of the body (RFC 9112 6.3): that is how requests
  // are smuggled past a proxy.
  if (lengths_ > 1 || (lengths_ > 0 && chunked_))
    return {kBadRequest, "the length of the body is given more than once"};
  if (!twice_.empty()) return {kBadRequest, std::string(twice_) + " is given more than once"};
  if (encoded_)
    return {kUnsupportedMediaType, "Content-Encoding: the body must come as it is, not compressed"};
  return {};
}

}  // namespace shingled::milter::http
