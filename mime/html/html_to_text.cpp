#include "mime/html/html_to_text.h"

#include <vector>

#include "mime/html/element_list.h"
#include "mime/html/html_printer.h"
#include "mime/html/html_tree.h"
#include "mime/html/visibility.h"

namespace shingled::mime {
namespace {

constexpr Steps kStepsAnHtmlByte = 6;  // to find tags and what is in them

}  // namespace

HtmlText html_to_text(std::string_view utf8, const HtmlLimits& limits, Compat compat,
                      WorkMeter& meter) {
  HtmlText text;
  text.truncated = utf8.size() > limits.input_bytes_max;
  const std::string_view html = utf8.substr(0, limits.input_bytes_max);
  if (!meter.spend(html.size(), kStepsAnHtmlByte)) return text;
  const HtmlTree tree = build_html_tree(html, limits.elements_max, compat, meter);
  const StyleSheet sheet = collect_style_sheet(tree, html, compat, limits.style_rules_max, meter);
  const std::vector<Appearance> appearance = compute_appearance(tree, sheet, compat, meter);
  if (meter.refused()) return text;
  print_html(tree, appearance, html, text, limits.text_bytes_max, meter);
  text.elements = list_elements(tree);
  return text;
}

}  // namespace shingled::mime
