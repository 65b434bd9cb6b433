#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/css_values.h"

namespace shingled::mime {

/// The rules of all <style> sheets of a document, reduced to what rspamd looks at (hashing.md 7.4):
/// selectors `tag`, `.class`, `#id`, `*`. Selectors of one list share one block of declarations.
/// Threads: one writer, then any.   Cost: linear in the sheet; a look-up is linear in the class.
class StyleSheet {
 public:
  StyleSheet(Compat compat, std::uint32_t rules_max) : compat_(compat), rules_max_(rules_max) {}

  /// Adds the rules of one sheet. What follows a stray `}` is lost.
  void add(std::string_view css);

  /// What applies to an element; `tag` is empty for one that HTML does not have.
  [[nodiscard]] StyleValues find(std::string_view tag, std::string_view css_class,
                                 std::string_view id) const;

  [[nodiscard]] bool empty() const { return rules_.empty(); }

 private:
  void add_rule(const std::vector<std::string>& selectors, const StyleValues& style);
  void apply(StyleValues& style, bool& found, const std::string& selector) const;

  Compat compat_;
  std::uint32_t rules_max_;
  std::vector<StyleValues> blocks_;
  std::unordered_map<std::string, std::size_t> rules_;  ///< ".class", "#id", "tag", "*": in blocks_
};

}  // namespace shingled::mime
