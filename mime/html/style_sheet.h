#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/css_values.h"

namespace shingled::mime {

/// The rules of all <style> sheets of a document that rspamd uses (HASHING.md 7.4): those with the
/// selectors `tag`, `.class`, `#id`, `*`. The selectors of a list share a block of declarations.
/// Threads: one writer, then any.
/// Cost:    linear in the sheet; a look-up is linear in the class. A tree, not a hash table, so
///          that no choice of names makes it slow.
class StyleSheet {
 public:
  StyleSheet(Compat compat, std::uint32_t rules_max) : compat_(compat), rules_max_(rules_max) {}

  /// Adds the rules of a sheet. The rest after a stray `}` is lost.
  void add(std::string_view css);

  /// The values for an element; `tag` is empty for an unknown element.
  [[nodiscard]] StyleValues find(std::string_view tag, std::string_view css_class,
                                 std::string_view id) const;

  /// Longer selectors are left out.
  static constexpr std::size_t kSelectorBytesMax = 256;

  [[nodiscard]] bool empty() const { return rules_.empty(); }

 private:
  void add_rule(const std::vector<std::string>& selectors, const StyleValues& style);
  void apply(StyleValues& style, bool& found, std::string_view selector) const;

  Compat compat_;
  std::uint32_t rules_max_;
  std::vector<StyleValues> blocks_;
  std::map<std::string, std::size_t, std::less<>>
      rules_;  ///< ".class", "#id", "tag", "*": in blocks_
};

}  // namespace shingled::mime
