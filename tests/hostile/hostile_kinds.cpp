#include "tests/hostile/hostile_kinds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/hostile/themes.h"

namespace shingled::hostile {

const std::vector<HostileKind>& hostile_kinds() {
  static const std::vector<HostileKind> all = [] {
    std::vector<HostileKind> kinds;
    for (const auto theme :
         {nesting_kinds, delimiter_kinds, header_kinds, parameter_kinds, part_kinds, charset_kinds,
          encoding_kinds, html_kinds, markup_kinds, style_kinds, text_kinds, link_kinds,
          container_kinds, attachment_kinds, quote_kinds, reader_kinds, line_kinds, stage_kinds}) {
      std::vector<HostileKind> of_theme = theme();
      std::move(of_theme.begin(), of_theme.end(), std::back_inserter(kinds));
    }
    std::vector<HostileKind> again = many_kinds(kinds);
    std::move(again.begin(), again.end(), std::back_inserter(kinds));
    return kinds;
  }();
  return all;
}

const HostileKind* find_kind(std::string_view name) {
  const auto& kinds = hostile_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [name](const HostileKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace shingled::hostile
