#include "mime/url/ascii_host.h"

#include <unicode/uidna.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kAsciiHostBytesMax = 1024;

const UIDNA* converter() {
  UErrorCode status = U_ZERO_ERROR;
  static const UIDNA* const instance = uidna_openUTS46(UIDNA_NONTRANSITIONAL_TO_ASCII, &status);
  return instance;
}

/// Empty if the name is not valid.
std::string punycode(std::string_view host) {
  if (host.size() > kUnicodeHostBytesMax || converter() == nullptr) return {};
  std::array<char, kAsciiHostBytesMax> out{};
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size =
      uidna_nameToASCII_UTF8(converter(), host.data(), static_cast<std::int32_t>(host.size()),
                             out.data(), static_cast<std::int32_t>(out.size()), &info, &status);
  if (U_FAILURE(status) || info.errors != 0 || size < 0) return {};
  if (static_cast<std::size_t>(size) > out.size()) return {};
  return {out.data(), static_cast<std::size_t>(size)};
}

std::string_view without_root(std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace

std::string ascii_host(std::string_view host) {
  host = without_root(host);
  if (std::any_of(host.begin(), host.end(), ascii::is_high)) {
    const std::string converted = punycode(host);
    if (!converted.empty()) return ascii::to_lower(without_root(converted));
  }
  return ascii::to_lower(host);
}

}  // namespace shingled::mime
