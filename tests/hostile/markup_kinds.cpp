// The tokens of HTML: attributes, entities, comments, raw text, bytes between them.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

std::string page(std::string_view piece, std::size_t bytes) { return repeat(html(), piece, bytes); }
std::string behind(std::string_view begin, std::string_view piece, std::size_t bytes) {
  return repeat(html().append(begin), piece, bytes);
}

}  // namespace

std::vector<HostileKind> markup_kinds() {
  return {
      {"markup-attributes", "thousands of attributes of one tag",
       [](std::size_t bytes) { return count_up(html() + "<p ", "a", "=1 ", bytes) + ">x</p>"; }},
      {"markup-attributes-known", "the same attribute repeated: the last one counts",
       [](std::size_t bytes) { return behind("<p ", "style='color:red' ", bytes) + ">x</p>"; }},
      {"markup-attributes-each", "every attribute we know in every tag",
       [](std::size_t bytes) {
         return page("<p id=a class='b c' style='color:#fff' color=red bgcolor=blue hidden>x</p>",
                     bytes);
       }},
      {"markup-attribute-huge", "one attribute as long as the document",
       [](std::size_t bytes) { return behind("<p title='", "words ", bytes) + "'>x</p>"; }},
      {"markup-href-huge", "one address as long as the document",
       [](std::size_t bytes) {
         return behind("<a href='http://a.com/", "path/", bytes) + "'>www.a.com</a>";
       }},
      {"markup-href-huge-host", "one host name as long as the document",
       [](std::size_t bytes) { return behind("<a href='http://", "a.", bytes) + "'>words</a>"; }},
      {"markup-href-huge-query", "one address full of at signs and colons",
       [](std::size_t bytes) { return behind("<a href='http://", "a:@", bytes) + "'>words</a>"; }},
      {"markup-hrefs-huge", "addresses of 15 KB",
       [](std::size_t bytes) {
         return page("<a href='http://a.com/" + std::string(15'000, 'q') + "'>www.a.com</a>",
                     bytes);
       }},
      {"markup-href-percents", "addresses with percent escapes",
       [](std::size_t bytes) { return page("<a href='%68%74%74%70://%61.com'>x</a>", bytes); }},
      {"markup-href-data", "pictures in addresses",
       [](std::size_t bytes) {
         return page("<img src='data:image/png;base64," + std::string(4000, 'A') + "'>", bytes);
       }},
      {"markup-alt-huge", "one picture with an alternative text as long as the document",
       [](std::size_t bytes) { return behind("<img alt='", "words ", bytes) + "'>"; }},
      {"markup-alts-huge", "pictures with alternative texts of 15 KB each",
       [](std::size_t bytes) {
         return page("<img alt='" + std::string(15'000, 'w') + "'>", bytes);
       }},
      {"markup-quotes-open", "attributes whose quotes never close",
       [](std::size_t bytes) { return page("<a b=\"", bytes); }},
      {"markup-quotes-mixed", "quotes in quotes",
       [](std::size_t bytes) { return page("<a b='c\" ", bytes); }},
      {"markup-equals", "attributes without names",
       [](std::size_t bytes) { return behind("<p ", "= ", bytes); }},
      {"markup-slashes", "slashes in a tag",
       [](std::size_t bytes) { return behind("<p ", "/ ", bytes) + ">x"; }},
      {"markup-angles", "only open angle brackets",
       [](std::size_t bytes) { return page("<", bytes); }},
      {"markup-angles-closed", "empty tags", [](std::size_t bytes) { return page("<>", bytes); }},
      {"markup-name-huge", "a tag with one long name",
       [](std::size_t bytes) { return behind("<", "name", bytes) + ">x"; }},
      {"markup-comments", "thousands of comments",
       [](std::size_t bytes) { return page("<!-- x -->", bytes); }},
      {"markup-comments-open", "comments that never end",
       [](std::size_t bytes) { return page("<!--", bytes); }},
      {"markup-comments-short", "comments that are too short",
       [](std::size_t bytes) { return page("<!--><!--->", bytes); }},
      {"markup-conditional", "comments for one browser",
       [](std::size_t bytes) { return page("<!--[if mso]><p>x</p><![endif]-->", bytes); }},
      {"markup-brackets", "declarations with brackets that never close",
       [](std::size_t bytes) { return page("<![[", bytes); }},
      {"markup-instructions", "instructions to processors",
       [](std::size_t bytes) { return page("<?xml?>", bytes); }},
      {"markup-instructions-open", "instructions without their end mark",
       [](std::size_t bytes) { return page("<?x>", bytes); }},
      {"markup-doctypes", "declarations of types",
       [](std::size_t bytes) { return page("<!DOCTYPE html>", bytes); }},
      {"markup-scripts", "thousands of scripts",
       [](std::size_t bytes) { return page("<script>a</script>", bytes); }},
      {"markup-scripts-open", "scripts that never end",
       [](std::size_t bytes) { return page("<script>", bytes); }},
      {"markup-raw-almost-closed", "tags that begin like the end of a script and are longer",
       [](std::size_t bytes) { return behind("<script>", "</script,", bytes); }},
      {"markup-entities-named", "entities by name",
       [](std::size_t bytes) {
         return page("&amp;&nbsp;&CounterClockwiseContourIntegral;", bytes);
       }},
      {"markup-entities-numbers", "entities by number",
       [](std::size_t bytes) { return page("&#228;&#x1F600;&#0;&#1114112;", bytes); }},
      {"markup-entities-none", "entities that do not exist",
       [](std::size_t bytes) { return page("&ampampamp&#x;&#;&", bytes); }},
      {"markup-entities-long", "an endless entity",
       [](std::size_t bytes) { return behind("&", "amp", bytes); }},
      {"markup-entities-digits", "endless numbers",
       [](std::size_t bytes) { return behind("&#", "1234567890", bytes); }},
      {"markup-entities-in-href", "addresses of entities",
       [](std::size_t bytes) { return page("<a href='&#104;&#116;&amp;&amp;'>x</a>", bytes); }},
      {"markup-nulls", "null bytes: each becomes three bytes",
       [](std::size_t bytes) { return page(std::string_view("a\0\0<b>\0", 7), bytes); }},
      {"markup-nulls-alone", "only null bytes",
       [](std::size_t bytes) { return page(std::string_view("\0", 1), bytes); }},
      {"markup-blanks", "blanks of every kind",
       [](std::size_t bytes) { return page(" \t\u00a0\u3000\u2003<i> </i>", bytes); }},
      {"markup-zero-width", "letters with nothing between them",
       [](std::size_t bytes) { return page("a\u200b\u00ad\u200d&zwnj;", bytes); }},
  };
}

}  // namespace shingled::hostile
