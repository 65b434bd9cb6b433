// Styles: sheets with very many rules, selectors and values; hidden and visible text.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::size_t kRules = 8000;

std::string sheet(std::string_view piece, std::size_t bytes) {
  return repeat(html() + "<style>", piece, bytes) + "</style><p class=a>x</p>";
}

/// As many rules as are kept, and elements that need all of them.
std::string rules_and_elements(std::size_t bytes) {
  std::string out = html() + "<style>";
  for (std::size_t i = 0; i < kRules && out.size() < bytes / 2; ++i) {
    out += ".c" + std::to_string(i) + "{color:red}";
  }
  return count_up(out + "</style>", "<p class='c1 c2 c3 c4 c", "'>x</p>", bytes);
}

/// Elements with very many classes, all of which have a rule.
std::string rules_and_classes(std::size_t bytes) {
  std::string classes;
  std::string out = html() + "<style>";
  for (std::size_t i = 0; i < kRules && out.size() < bytes / 4; ++i) {
    const std::string name = "c" + std::to_string(i);
    out += "." + name + "{font-size:10px}";
    classes += name + " ";
  }
  return repeat(out + "</style>", "<p class='" + classes + "'>x</p>", bytes);
}

/// Rules of one selector, and elements in elements that all of them have to be compared with.
std::string selectors(std::string_view selector, std::string_view element, std::size_t bytes) {
  const std::string rule = std::string(selector) + "{color:red}";
  return repeat(repeat(html() + "<style>", rule, bytes / 2) + "</style>", element, bytes);
}

}  // namespace

std::vector<HostileKind> style_kinds() {
  return {
      {"style-selectors-deep", "selectors of descendants below very many ancestors",
       [](std::size_t bytes) { return selectors("div div div div b", "<div><b>x</b>", bytes); }},
      {"style-selectors-wide", "selectors of siblings behind very many siblings",
       [](std::size_t bytes) { return selectors("i~i~i~b", "<i>x</i><b>y</b>", bytes); }},
      {"style-selectors-any", "selectors that every element has",
       [](std::size_t bytes) { return selectors("*", "<p>x</p>", bytes); }},
      {"style-selectors-attributes", "conditions on attributes that every element has",
       [](std::size_t bytes) { return selectors("[a][b=c]", "<p a b=c>x</p>", bytes); }},
      {"style-selectors-classes", "one selector of very many classes",
       [](std::size_t bytes) {
         return repeat(html() + "<style>", ".a", bytes) + "{color:red}</style><p class=a>x</p>";
       }},
      {"style-selectors-lists", "lists of very many selectors",
       [](std::size_t bytes) { return sheet("a b,", bytes) + "{color:red}"; }},
      {"style-media", "media in media",
       [](std::size_t bytes) { return sheet("@media all{", bytes); }},
      {"style-attributes-different", "styles that are all different",
       [](std::size_t bytes) {
         return count_up(html(), "<p style='color:#fff;top:", "px'>x", bytes);
       }},
      {"style-rules", "more rules than are kept",
       [](std::size_t bytes) {
         return count_up(html() + "<style>", ".c", "{display:none}", bytes) + "</style><p>x</p>";
       }},
      {"style-rules-elements", "8 000 rules and as many elements", rules_and_elements},
      {"style-rules-classes", "elements that have all classes of a sheet", rules_and_classes},
      {"style-sheets", "a sheet for each rule",
       [](std::size_t bytes) {
         return count_up(html(), "<style>.c", "{color:red}</style>", bytes);
       }},
      {"style-same-rule", "the same rule repeated, merged each time",
       [](std::size_t bytes) { return sheet(".a{color:red;font-size:9px;display:block}", bytes); }},
      {"style-boxes", "clips of many points, which all have to be read",
       [](std::size_t bytes) {
         std::string points;
         for (int i = 0; i < 40; ++i) points += "0 0, ";
         return repeat(html(), "<p style='clip-path:polygon(" + points + "0 0);clip:rect((((0'>x",
                       bytes);
       }},
      {"style-selectors", "one rule of many selectors",
       [](std::size_t bytes) {
         return count_up(html() + "<style>", ".c", ",", bytes) + "p{color:red}</style><p>x</p>";
       }},
      {"style-selectors-broken", "selectors with brackets",
       [](std::size_t bytes) { return sheet("a[href^='x']:not(.b)>c+d~e{color:red}", bytes); }},
      {"style-declarations", "one rule of many declarations",
       [](std::size_t bytes) {
         return repeat(html() + "<style>p{", "color:red;", bytes) + "}</style>x";
       }},
      {"style-declarations-broken", "declarations without names and values",
       [](std::size_t bytes) {
         return repeat(html() + "<style>p{", ";:;}{", bytes) + "</style>x";
       }},
      {"style-blocks-open", "blocks in blocks that never close",
       [](std::size_t bytes) { return sheet("p{", bytes); }},
      {"style-parentheses", "parentheses that never close",
       [](std::size_t bytes) {
         return repeat(html() + "<style>p{color:", "rgb(", bytes) + "</style>x";
       }},
      {"style-comments", "comments between all tokens",
       [](std::size_t bytes) { return sheet("/**/p/**/{/**/color/**/:red/**/}", bytes); }},
      {"style-comments-open", "comments that never end",
       [](std::size_t bytes) { return sheet("p{color:red}/*", bytes); }},
      {"style-strings-open", "strings that never end",
       [](std::size_t bytes) { return sheet("p{content:\"", bytes); }},
      {"style-escapes", "every letter escaped",
       [](std::size_t bytes) { return sheet("\\70 {\\63 olor:\\72 ed}", bytes); }},
      {"style-at-rules", "rules that begin with @",
       [](std::size_t bytes) {
         return sheet("@media x{p{color:red}}@import 'a';@layer x;", bytes);
       }},
      {"style-numbers", "endless numbers",
       [](std::size_t bytes) {
         return repeat(html() + "<style>p{font-size:", "1234567890", bytes);
       }},
      {"style-attributes", "a style in each element",
       [](std::size_t bytes) {
         return repeat(html(), "<p style='color:#fff;background:#fff;display:none'>a</p>", bytes);
       }},
      {"style-attribute-huge", "one style as long as the document",
       [](std::size_t bytes) {
         return repeat(html() + "<p style='", "color:red;", bytes) + "'>x</p>";
       }},
      {"style-attributes-15k", "styles of 15 KB",
       [](std::size_t bytes) {
         return repeat(html(), repeat("<p style='", "color:red;", 15'000) + "'>x</p>", bytes);
       }},
      {"style-classes-huge", "one class attribute as long as the document",
       [](std::size_t bytes) {
         return count_up(html() + "<style>.c1{color:red}</style><p class='", "c", " ", bytes) +
                "'>x</p>";
       }},
      {"style-white-on-white", "invisible letters, blanked one by one",
       [](std::size_t bytes) {
         return repeat(html(), "<span style='color:#fefefe'>hidden</span> seen ", bytes);
       }},
      {"style-hidden-nested", "hidden in hidden",
       [](std::size_t bytes) { return repeat(html(), "<div style=display:none>a", bytes); }},
  };
}

}  // namespace shingled::hostile
