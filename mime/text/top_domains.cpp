#include "mime/text/top_domains.h"

#include <unicode/uidna.h>

#include <string>
#include <unordered_set>

#include "mime/text/ascii.h"
#include "mime/text/embedded_data.h"

namespace shingled::mime {

namespace {

using namespace ascii;

constexpr std::size_t kLabelBytesMax = 63;

using DomainSet = std::unordered_set<std::string_view>;

/// The data file's lines, and the punycode form of those that are not ASCII.
class TopDomains {
 public:
  TopDomains() {
    std::string_view rest = embedded_file("top_domains.txt");
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (!line.empty() && line.front() != '/') names_.insert(line);
    }
  }
  [[nodiscard]] bool has(std::string_view name) const { return names_.contains(name); }

 private:
  DomainSet names_;
};

const TopDomains& top_domains() {
  static const TopDomains kDomains;
  return kDomains;
}

/// The list holds the names of the world as they are written, a host may hold them as punycode.
std::string unicode_form(std::string_view name) {
  char buffer[4 * kLabelBytesMax];
  UErrorCode status = U_ZERO_ERROR;
  static UIDNA* const kIdna = uidna_openUTS46(UIDNA_DEFAULT, &status);
  if (kIdna == nullptr) return std::string(name);
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  const std::int32_t size =
      uidna_nameToUnicodeUTF8(kIdna, name.data(), static_cast<std::int32_t>(name.size()), buffer,
                              sizeof buffer, &info, &status);
  if (U_FAILURE(status) || size > static_cast<std::int32_t>(sizeof buffer)) {
    return std::string(name);
  }
  return {buffer, static_cast<std::size_t>(size)};
}

bool has_name(std::string_view name) {
  if (name.size() > 2 * kLabelBytesMax) return false;
  bool ascii = true;
  std::string lower(name);
  for (char& c : lower) {
    ascii = ascii && !is_high(c);
    c = to_lower(c);
  }
  if (ascii && !lower.starts_with("xn--")) return top_domains().has(lower);
  return top_domains().has(unicode_form(lower));
}

}  // namespace

bool is_top_domain(std::string_view label) { return has_name(label); }

bool below_public_suffix(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  if (has_name(host.substr(dot + 1))) return true;
  const std::size_t second = host.rfind('.', dot - 1);
  return second != std::string_view::npos && second != 0 && has_name(host.substr(second + 1));
}

}  // namespace shingled::mime
