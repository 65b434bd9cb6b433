// The structure of HTML: links in links, deep trees, tags that do not match.
#include <algorithm>
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::size_t kElements = 8000;  ///< below `mime.html_tags_max`

std::string page(std::string_view piece, std::size_t bytes) { return repeat(html(), piece, bytes); }

/// Elements with unknown names, all different, never closed.
std::string unknown_elements(std::size_t bytes) { return count_up(html(), "<x", ">", bytes); }

std::string deep_then_wide(std::size_t bytes) {
  return repeat(nest(html(), "<div>", "", "", bytes / 2), "<p>x</p>", bytes);
}

std::string wide_then_deep(std::size_t bytes) {
  return repeat(html() + repeat("", "<p>x</p>", bytes / 2), "<div>", bytes);
}

/// As many nested links as are looked at, in at most a third of the bytes.
std::string open_links(std::string_view link, std::size_t bytes) {
  return repeat(html(), link, std::min(kElements * link.size(), bytes / 3));
}

std::string blank_links(std::string_view blank, std::size_t bytes) {
  return repeat(open_links("<a href=x>", bytes), blank, bytes) + "words here";
}

/// As many nested elements as are looked at, filled with text.
std::string full_elements(std::string_view open, std::size_t bytes) {
  const std::size_t each = std::max<std::size_t>(bytes / kElements, open.size() + 8);
  std::string piece(open);
  return repeat(html(), repeat(piece, "word ", each), bytes);
}

}  // namespace

std::vector<HostileKind> html_kinds() {
  return {
      {"html-nested-links", "links in links: each is checked for a URL in its text",
       [](std::size_t bytes) { return page("<a href=x>", bytes); }},
      {"html-nested-links-text", "links in links, with text in each",
       [](std::size_t bytes) { return page("<a href=http://a.com>www.b.com ", bytes); }},
      {"html-nested-links-long-text", "links in links around one long text of links",
       [](std::size_t bytes) {
         return repeat(open_links("<a href=http://a.com>", bytes), "http://b.com/ ", bytes);
       }},
      {"html-nested-links-long-word", "links in links around one long word",
       [](std::size_t bytes) {
         return repeat(open_links("<a href=http://a.com>", bytes), "word", bytes);
       }},
      {"html-nested-links-dots", "links in links around one long row of names",
       [](std::size_t bytes) {
         return repeat(open_links("<a href=http://a.com>", bytes), "a.com.", bytes);
       }},
      {"html-nested-links-words", "links in links, with a word in each",
       [](std::size_t bytes) { return page("<a href=x>words ", bytes); }},
      {"html-nested-links-full", "as many links in links as are looked at, with long texts",
       [](std::size_t bytes) { return full_elements("<a href=http://a.com>www.b.com ", bytes); }},
      {"html-full-div", "as many blocks as are looked at, with long texts",
       [](std::size_t bytes) { return full_elements("<div>", bytes); }},
      {"html-full-tables", "as many tables as are looked at, with long texts",
       [](std::size_t bytes) { return full_elements("<table><tr><td>", bytes); }},
      {"html-full-hidden", "as many blanked elements as are looked at, with long texts",
       [](std::size_t bytes) { return full_elements("<b style='color:#fefefe'>", bytes); }},
      {"html-nested-links-closed", "links in links, closed in order",
       [](std::size_t bytes) {
         return nest(html(), "<a href=http://a.com/>", "click here now", "</a>", bytes);
       }},
      {"html-nested-links-blanks", "links in links that begin with blanks: each trims them",
       [](std::size_t bytes) { return blank_links("<b>&nbsp;</b>", bytes); }},
      {"html-nested-links-wide-blanks", "the same with wide spaces",
       [](std::size_t bytes) { return blank_links("\u3000", bytes); }},
      {"html-nested-links-huge", "links in links with addresses of 2 KB",
       [](std::size_t bytes) {
         return page("<a href='http://a.com/" + std::string(2000, 'p') + "'>x ", bytes);
       }},
      {"html-nested-links-mailto", "addresses in addresses",
       [](std::size_t bytes) { return page("<a href=mailto:a@b.com>a@b.com ", bytes); }},
      {"html-nested-links-hidden", "invisible links in links",
       [](std::size_t bytes) { return page("<a href=x style=display:none>abcdef", bytes); }},
      {"html-nested-links-tables", "links in links through tables",
       [](std::size_t bytes) {
         return page("<a href=http://a.com><table><tr><td>www.b.com", bytes);
       }},
      {"html-nested-div", "blocks in blocks",
       [](std::size_t bytes) { return nest(html(), "<div>", "x", "</div>", bytes); }},
      {"html-nested-open", "blocks in blocks, never closed",
       [](std::size_t bytes) { return page("<div>x", bytes); }},
      {"html-nested-tables", "tables in tables",
       [](std::size_t bytes) { return page("<table><tr><td>", bytes); }},
      {"html-nested-lists", "lists in lists",
       [](std::size_t bytes) { return page("<ul><li>a ", bytes); }},
      {"html-nested-fonts", "fonts in fonts, of sizes in percents of percents",
       [](std::size_t bytes) { return page("<font style='font-size:99%'>a", bytes); }},
      {"html-nested-quotes", "quotations in quotations",
       [](std::size_t bytes) { return page("<blockquote>a\n", bytes); }},
      {"html-nested-unknown", "nested elements with unknown names", unknown_elements},
      {"html-nested-html", "documents in documents",
       [](std::size_t bytes) { return page("<html><head><body>a", bytes); }},
      {"html-deep-then-wide", "a deep tree and many children at its end", deep_then_wide},
      {"html-wide-then-deep", "many children, the last one with a deep tree", wide_then_deep},
      {"html-close-unopened", "closing tags of elements that were never opened",
       [](std::size_t bytes) { return page("</div>", bytes); }},
      {"html-close-unknown", "closing tags with unknown names",
       [](std::size_t bytes) { return count_up(html(), "</x", ">", bytes); }},
      {"html-close-outermost", "elements closed by the end of the outermost one, repeated",
       [](std::size_t bytes) { return page("<div><b><i><u></div>", bytes); }},
      {"html-close-wrong-order", "closing tags in the wrong order",
       [](std::size_t bytes) { return page("<b><i>x</b>y</i>", bytes); }},
      {"html-close-far", "closing tags of a far outer element",
       [](std::size_t bytes) { return page("<p><b></p></b><b>", bytes); }},
      {"html-links", "links to different hosts",
       [](std::size_t bytes) {
         return count_up(html(), "<a href=http://a", ".com/>www.a.com</a> ", bytes);
       }},
      {"html-links-structure", "links of many domains in deep blocks: a structure to hash",
       [](std::size_t bytes) {
         return count_up(html() + "<html><body><div><div><div>", "<p class=a><a href=http://d",
                         ".example.com/x?y>z</a></p>", bytes);
       }},
      {"html-base", "a base for links, repeated",
       [](std::size_t bytes) { return page("<base href=http://a.com/><a href=b>c</a>", bytes); }},
      {"html-breaks", "only breaks", [](std::size_t bytes) { return page("<br>", bytes); }},
      {"html-margins", "empty blocks: a margin each",
       [](std::size_t bytes) { return page("<p></p> ", bytes); }},
      {"html-images", "pictures with alternative texts",
       [](std::size_t bytes) { return page("<img src=x alt='words here'>", bytes); }},
      {"html-forms", "forms and fields",
       [](std::size_t bytes) {
         return page("<form action=http://a.com/x><input type=hidden value=y>", bytes);
       }},
      {"html-titles", "heads that never end",
       [](std::size_t bytes) { return page("<head><title>a</title><meta b=c>", bytes); }},
      {"html-text-first", "text before the first tag",
       [](std::size_t bytes) { return repeat(html() + "words ", "<b>x", bytes); }},
      {"html-as-plain", "HTML declared as plain text",
       [](std::size_t bytes) {
         return repeat(plain(), "<a href=http://a.com>www.b.com</a>", bytes);
       }},
  };
}

}  // namespace shingled::hostile
