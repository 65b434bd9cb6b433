#include "mime/pieces/normal_address.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/url/ascii_host.h"

namespace shingled::mime {

namespace {

using ascii::equal_ignoring_case;
using ascii::starts_with_ignoring_case;
constexpr std::size_t kNoPlace = std::string_view::npos;

/// Takes the text up to `separator` off the front; nullopt if there is none.
std::optional<std::string_view> take_field(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == kNoPlace) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

bool is_host_name(std::string_view text) {
  return text.find('.') != kNoPlace && text.find('.') + 1 < text.size() && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return ascii::is_alnum(c) || ascii::is_high(c) || c == '.' || c == '-' || c == '_';
         });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

/// The address that a forwarder rewrote; nullopt if this is not one.
std::optional<NormalAddress> without_srs(std::string_view local) {
  const bool once = starts_with_ignoring_case(local, "srs0");
  const bool twice = starts_with_ignoring_case(local, "srs1");
  constexpr std::size_t kMarkBytes = 4;
  if ((!once && !twice) || local.size() <= kMarkBytes) return std::nullopt;
  constexpr ascii::CharSet kAfterMark("=+-");
  if (!kAfterMark.has(local[kMarkBytes])) return std::nullopt;
  local.remove_prefix(kMarkBytes + 1);
  if (twice) {
    // SRS1=HASH=FORWARDER==HASH=TT=DOMAIN=LOCAL
    if (!take_field(local, '=') || !take_field(local, '=') || local.empty()) return std::nullopt;
    if (!kAfterMark.has(local.front())) return std::nullopt;
    local.remove_prefix(1);
  }
  if (!take_field(local, '=') || !take_field(local, '=')) return std::nullopt;
  const auto domain = take_field(local, '=');
  if (!domain || !is_host_name(*domain) || local.empty()) return std::nullopt;
  return NormalAddress{std::string(local), std::string(*domain)};
}

/// The rest after a signature of the sender's own server; the same text without one.
std::string_view without_batv(std::string_view local) {
  std::string_view rest = local;
  if (starts_with_ignoring_case(local, "btv1==")) {
    constexpr std::string_view kBetween = "==";
    rest.remove_prefix(std::string_view("btv1==").size());
    const std::size_t end = rest.find(kBetween);
    rest = end == kNoPlace ? "" : rest.substr(end + kBetween.size());
  } else if (starts_with_ignoring_case(local, "prvs=") ||
             starts_with_ignoring_case(local, "msprvs1=")) {
    (void)take_field(rest, '=');
    if (!take_field(rest, '=')) return local;
  }
  return rest.empty() ? local : rest;
}

/// Without the recipient that a list wrote into its return path, and the number of the message.
std::string_view without_verp(std::string_view local) {
  const std::size_t equals = local.rfind('=');
  if (equals == kNoPlace || !is_host_name(local.substr(equals + 1))) return local;
  std::string_view rest = local.substr(0, equals);
  // The user may have hyphens: what a list puts before it begins with a number, mostly.
  for (std::size_t at = rest.find('-'); at != kNoPlace; at = rest.find('-', at + 1)) {
    const std::size_t next = rest.find('-', at + 1);
    if (next == kNoPlace) break;
    if (at > 0 && is_number(rest.substr(at + 1, next - at - 1))) return rest.substr(0, at);
  }
  const std::size_t hyphen = rest.rfind('-');
  return hyphen == kNoPlace || hyphen == 0 ? local : rest.substr(0, hyphen);
}

std::string_view without_tag(std::string_view local) {
  const std::size_t plus = local.find('+');
  return plus == kNoPlace || plus == 0 ? local : local.substr(0, plus);
}

/// Lower case; quotes, backslashes, blanks and control characters make no other mailbox.
std::string plain_local(std::string_view local) {
  std::string out;
  for (const char c : local) {
    const bool kept = (ascii::is_graph(c) && c != '"' && c != '\\') || ascii::is_high(c);
    if (kept) out += ascii::to_lower(c);
  }
  return out;
}

NormalAddress split(std::string_view address) {
  const std::size_t at = address.rfind('@');
  const std::string_view domain = at == kNoPlace ? "" : address.substr(at + 1);
  return {plain_local(address.substr(0, at)), ascii_host(plain_local(domain))};
}

}  // namespace

std::optional<NormalAddress> normal_address(std::string_view address) {
  if (address.size() > kAddressBytesMax) return std::nullopt;
  NormalAddress out = split(address);
  // One mark may be inside another. Each step makes it shorter, so this ends.
  for (std::size_t before = 0; before != out.local.size() + out.domain.size();) {
    before = out.local.size() + out.domain.size();
    if (auto original = without_srs(out.local)) out = *std::move(original);
    out = split(out.text());  // "a@b" in quotes before an empty domain is a mailbox again
    out.local = std::string(without_batv(out.local));
    out.local = std::string(without_verp(out.local));
    out.local = std::string(without_tag(out.local));
  }
  if (out.local.empty() || out.text().size() > kAddressBytesMax) return std::nullopt;
  return out;
}

}  // namespace shingled::mime
