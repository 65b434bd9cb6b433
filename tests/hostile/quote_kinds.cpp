// What is quoted, forwarded and returned: marks, lines and elements that must be told from the text
// itself.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

/// An answer, with words of its own, so that its quotes hold.
std::string answer(std::string_view type) {
  return head() + "In-Reply-To: <a@example.org>\nContent-Type: " + std::string(type) +
         "\n\none two three four five six seven eight nine\n";
}

HostileKind lines(std::string name, std::string why, std::string piece) {
  return {"quote-" + std::move(name), std::move(why),
          [piece](std::size_t bytes) { return repeat(answer("text/plain"), piece, bytes); }};
}

HostileKind elements(std::string name, std::string why, std::string piece) {
  return {"quote-" + std::move(name), std::move(why),
          [piece](std::size_t bytes) { return repeat(answer("text/html"), piece, bytes); }};
}

}  // namespace

std::vector<HostileKind> quote_kinds() {
  return {
      lines("levels", "a thousand marks before each line", std::string(1000, '>') + " a\n"),
      lines("levels-spaced", "the same with blanks between them", repeat("", "> ", 1000) + "a\n"),
      lines("alternating", "as many quotes as lines", ">a\nb\n"),
      lines("blank-lines", "quotes with empty lines between them", ">a\n\n\n"),
      lines("far-lines", "quotes with as many blanks between them as are looked at",
            ">a\n" + std::string(63, '\n')),
      lines("attributions", "authors of nothing", "On 5 May 2025 A <a@example.org> wrote:\n"),
      lines("attributions-wrapped", "the same on three lines",
            "On 5 May 2025 A\n<a@example.org>\nwrote:\n\n>a\n"),
      lines("attributions-long", "the longest lines that may name an author",
            "0" + std::string(297, 'w') + ":\n"),
      lines("fields", "headers without an author", "Date: a\nTo: b\nSubject: c\n"),
      lines("fields-far", "fields that are too far from each other",
            "From: a\nb\nb\nb\nb\nb\nTo: c\n"),
      lines("names", "long names of fields that are none", std::string(60, 'f') + ": a\n"),
      lines("ruled", "titles of other messages that are none",
            "----- " + std::string(180, 'o') + " -----\n"),
      lines("ruled-phrases", "what begins like the title of another message",
            "-- original messag original messag original messag original messag\n"),
      lines("colons", "nothing but colons", ":\n"),
      elements("blockquotes", "one after another", "<blockquote>a</blockquote>b"),
      elements("blockquotes-links", "links in and beside them",
               "<blockquote><a href=http://a.com>a</a></blockquote><a href=http://b.com>b</a>"),
      elements("nested", "Gmail's in each other", "<div class=\"gmail_quote gmail_attr\">a"),
      elements("nested-breaks", "the same with empty lines alone",
               "<div class=gmail_attr><br><br><br>"),
      elements("rests", "Outlook's mark again and again", "<div id=x_x_x_divRplyFwdMsg>a</div>"),
      elements("renamed", "names that were renamed often",
               "<div class=\"" + repeat("", "x_", 250) + "\">a</div>"),
      elements("hidden", "hidden text in and beside quotes",
               "<i hidden>a</i><blockquote><i hidden>b</i></blockquote>c"),
      {"quote-of-many-classes", "classes that mean nothing",
       [](std::size_t bytes) {
         return count_up(answer("text/html"), "<p class=\"a b c d e f g h ", "\">a</p>", bytes);
       }},
      {"quote-forwarded", "many messages attached",
       [](std::size_t bytes) {
         return repeat(mixed() + "--b\n\na\n", "--b\nContent-Type: message/rfc822\n\nA: b\n\nc\n",
                       bytes);
       }},
      {"quote-returned", "many reports of a mail system",
       [](std::size_t bytes) {
         return repeat(mixed(), "--b\nContent-Type: message/delivery-status\n\nStatus: 5\n", bytes);
       }},
  };
}

}  // namespace shingled::hostile
