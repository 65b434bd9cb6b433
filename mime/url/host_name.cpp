#include "mime/url/host_name.h"

#include <libpsl.h>
#include <unicode/uidna.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "config/base/ascii.h"
#include "config/base/reused_thread_local.h"

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

namespace {

constexpr std::size_t kHostBytesMax = 253;
/// Labels of a name that are looked at: twice as many as in the longest suffix.
constexpr std::size_t kLabelsMax = 10;

/// The only top level of the list that is not a suffix itself. (For two labels libpsl also accepts
/// some that are not in the list, like "l.m".)
constexpr std::string_view kOnlyBelow = ".za";

std::string lower_host(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string lower(host);
  for (char& c : lower) c = ascii::to_lower(c);
  return lower;
}

bool is_public_suffix(const std::string& name) {
  constexpr int kOnlyListed = PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE;
  return psl_is_public_suffix2(psl_builtin(), name.c_str(), kOnlyListed) != 0;
}

/// A label like "comado": the suffix "com.do" if any character may be the dot.
bool is_suffix_with_any_dot(std::string label) {
  constexpr std::size_t kCountryBytes = 2;
  if (label.size() < 2 * kCountryBytes + 1) return false;
  const std::size_t dot = label.size() - kCountryBytes - 1;
  label[dot] = '.';
  if (!is_public_suffix(label)) return false;
  // But not by a rule like *.ck, which makes everything below it a suffix.
  return !is_public_suffix("no-such-name" + label.substr(dot));
}

std::string find_registrable_domain(std::string_view host) {
  std::string name = lower_host(host);
  if (!below_public_suffix(name)) return name;
  // libpsl drops one label after the other, which adds up in a long name.
  std::size_t begin = name.size();
  for (std::size_t labels = 0; labels < kLabelsMax && begin != std::string::npos; ++labels) {
    begin = begin == 0 ? std::string::npos : name.rfind('.', begin - 1);
  }
  const std::size_t tail = begin == std::string::npos ? 0 : begin + 1;
  const char* domain = psl_registrable_domain(psl_builtin(), name.c_str() + tail);
  return domain == nullptr ? name : std::string(domain);
}

/// The last hosts that were looked up. A message names the same few again and again: in its
/// envelope, its From and its links.
/// Threads: one.
class RecentDomains {
 public:
  const std::string& domain_of(std::string_view host) {
    auto known = std::ranges::find(entries_, host, &Entry::host);
    if (known == entries_.end()) {
      known = entries_.begin() + static_cast<std::ptrdiff_t>(next_++ % entries_.size());
      *known = {std::string(host), find_registrable_domain(host)};
    }
    return known->domain;
  }

 private:
  struct Entry {
    std::string host;  ///< empty: its domain is empty, too
    std::string domain;
  };
  std::array<Entry, 8> entries_;
  std::size_t next_ = 0;
};

}  // namespace

bool below_public_suffix(std::string_view host) {
  if (host.size() > kHostBytesMax + 1) return false;
  const std::string name = lower_host(host);
  if (name.size() > kHostBytesMax) return false;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return false;
  if (is_public_suffix(name.substr(dot + 1))) return true;
  if (is_suffix_with_any_dot(name.substr(dot + 1))) return true;
  const std::size_t second = name.rfind('.', dot - 1);
  return name.ends_with(kOnlyBelow) && second != std::string::npos &&
         is_public_suffix(name.substr(second + 1));
}

std::string registrable_domain(std::string_view host) {
  if (host.size() > kHostBytesMax) return find_registrable_domain(host);
  return ReusedThreadLocal<RecentDomains>::of_this_thread().domain_of(host);
}

}  // namespace shingled::mime
