#include "mime/html/html_to_text.h"

#include "mime/html/element_list.h"
#include "mime/html/html_printer.h"
#include "mime/html/html_tree.h"
#include "mime/html/visibility.h"

namespace shingled::mime {

HtmlText html_to_text(std::string_view utf8, const HtmlLimits& limits, Compat compat) {
  HtmlText text;
  text.truncated = utf8.size() > limits.input_bytes_max;
  const std::string_view html = utf8.substr(0, limits.input_bytes_max);
  const HtmlTree tree = build_html_tree(html, limits.elements_max, compat);
  const StyleSheet sheet = collect_style_sheet(tree, html, compat, limits.style_rules_max);
  print_html(tree, compute_appearance(tree, sheet, compat), html, text, limits.text_bytes_max);
  text.elements = list_elements(tree);
  return text;
}

}  // namespace shingled::mime
