#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mime/html/css_selector.h"
#include "mime/html/shown_style.h"

namespace shingled::mime {

/// All <style> sheets of a document as a browser understands them: selectors of any length, and
/// what `@media` says of a screen a thousand pixels wide. StyleSheet is what rspamd reads.
/// Threads: one writer, then any.
/// Cost:    linear in the sheets.
class ShownSheet {
 public:
  explicit ShownSheet(std::size_t rules_max) : rules_max_(rules_max) {}

  /// All sheets of a document are read up to this size, so that their rules fit into memory.
  static constexpr std::size_t kBytesMax = 512UL * 1024;

  /// `media`: the attribute of that name, or empty.
  void add(std::string_view css, std::string_view media = {});

  [[nodiscard]] bool empty() const { return rules_.empty(); }

  /// What the sheets say of an element, whose name is `tag`. Rules for which `steps_left` is too
  /// short are left out.
  [[nodiscard]] ShownBlock find(const SelectorMatcher& matcher, std::string_view tag,
                                ElementIndex element, Steps& steps_left) const;

 private:
  struct Rule {
    Selector selector;
    std::size_t block = 0;  ///< in blocks_
  };

  void add_rules(std::vector<Selector> selectors, const ShownBlock& block);

  std::size_t rules_max_;
  std::size_t bytes_ = 0;  ///< read
  std::vector<ShownBlock> blocks_;
  std::vector<Rule> rules_;  ///< in the order of the sheets
  /// By what the element itself must have: "#id", ".class", "tag", "" if nothing.
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> by_name_;
};

}  // namespace shingled::mime
