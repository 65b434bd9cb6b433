// Lines that are delimiters of parts, are nearly delimiters, or only look like delimiters.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::size_t kLongBoundary = 8000;

std::string long_boundary() { return std::string(kLongBoundary, 'b'); }

}  // namespace

std::vector<HostileKind> delimiter_kinds() {
  return {
      {"delimiter-lines", "50 MB of --a in a text without parts: each line is an entry somewhere",
       [](std::size_t bytes) { return repeat(plain(), "--a\n", bytes); }},
      {"delimiter-lines-of-nobody", "the same in a multipart with another boundary",
       [](std::size_t bytes) { return repeat(mixed("other") + "--other\n\n", "--a\n", bytes); }},
      {"delimiter-lines-different", "all lines are different",
       [](std::size_t bytes) { return count_up(mixed("b"), "--", "\n", bytes); }},
      {"delimiter-own", "delimiters with nothing between them",
       [](std::size_t bytes) { return repeat(mixed(), "--b\n", bytes); }},
      {"delimiter-own-blank-lines", "delimiters with an empty line between them",
       [](std::size_t bytes) { return repeat(mixed(), "--b\n\n", bytes); }},
      {"delimiter-closing", "closing delimiters, repeated",
       [](std::size_t bytes) { return repeat(mixed(), "--b--\n", bytes); }},
      {"delimiter-open-close", "opening and closing delimiters in turn",
       [](std::size_t bytes) { return repeat(mixed(), "--b\n\nx\n--b--\n", bytes); }},
      {"delimiter-almost", "the boundary with one more letter",
       [](std::size_t bytes) { return repeat(mixed("boundary"), "--boundarx\n", bytes); }},
      {"delimiter-other-case", "the boundary in capitals",
       [](std::size_t bytes) { return repeat(mixed("boundary"), "--BOUNDARY\n\nx\n", bytes); }},
      {"delimiter-blanks-behind", "delimiters with blanks behind them",
       [](std::size_t bytes) { return repeat(mixed(), "--b \t \n\nx\n", bytes); }},
      {"delimiter-of-8k", "a boundary of 8 KB, repeated",
       [](std::size_t bytes) {
         return repeat(mixed(long_boundary()), "--" + long_boundary() + "\n\nx\n", bytes);
       }},
      {"delimiter-of-8k-almost", "a boundary of 8 KB that differs in its last letter",
       [](std::size_t bytes) {
         return repeat(mixed(long_boundary() + "b"), "--" + long_boundary() + "c\n", bytes);
       }},
      {"delimiter-of-dashes", "a boundary that consists of dashes",
       [](std::size_t bytes) { return repeat(mixed("--------"), "----------\n", bytes); }},
      {"delimiter-ends-in-dashes", "a boundary that ends like a closing delimiter",
       [](std::size_t bytes) { return repeat(mixed("b--"), "--b--\n\nx\n--b----\n", bytes); }},
      {"delimiter-without-boundary",
       "a multipart without a boundary: any line may be the delimiter",
       [](std::size_t bytes) {
         return count_up(head() + "Subject: hello\nContent-Type: multipart/mixed\n\n", "--a",
                         "\n\nx\n", bytes);
       }},
      {"delimiter-never", "a boundary that never occurs",
       [](std::size_t bytes) { return mixed("never") + prose(bytes); }},
      {"delimiter-never-inside",
       "many multiparts whose boundary never occurs, each of blanks alone",
       [](std::size_t bytes) {
         const std::string part =
             "--b\nContent-Type: multipart/mixed; boundary=c\n\n" + std::string(2'000, ' ') + "\n";
         return repeat(mixed(), part, bytes);
       }},
      {"delimiter-digest", "a digest: each part is a message",
       [](std::size_t bytes) {
         return repeat(head() + "Content-Type: multipart/digest; boundary=b\n\n",
                       "--b\n\nSubject: x\n\nword\n", bytes);
       }},
      {"delimiter-rules", "lines of dashes, as people write them",
       [](std::size_t bytes) { return repeat(mixed(), "----------------\n", bytes); }},
      {"delimiter-one-rule", "one line of dashes as long as the message",
       [](std::size_t bytes) { return repeat(mixed(), "-", bytes); }},
      {"delimiter-signatures", "signatures behind the end, each salvaged as a part",
       [](std::size_t bytes) {
         return count_up(mixed() + "--b\n\nbody\n--b--\n", "-- \nsignature ", "\n", bytes);
       }},
      {"delimiter-leftovers", "parts of other multiparts behind the end, each salvaged",
       [](std::size_t bytes) {
         return count_up(mixed() + "--b\n\nbody\n--b--\n", "--c\nContent-Type: text/html\n\n<p>",
                         "\n", bytes);
       }},
      {"delimiter-bare-cr", "delimiters that end in a bare CR",
       [](std::size_t bytes) { return repeat(mixed(), "--b\r\rx\r", bytes); }},
      {"delimiter-crlf-mixed", "delimiters with all kinds of line ends",
       [](std::size_t bytes) {
         return rotate(mixed(), {"--b\n\nx\n", "--b\r\n\r\nx\r\n", "--b\r\rx\r"}, bytes);
       }},
      {"delimiter-long-lines", "delimiters of 15 KB of others",
       [](std::size_t bytes) {
         return repeat(mixed(), "--" + std::string(15'000, 'x') + "\n", bytes);
       }},
  };
}

}  // namespace shingled::hostile
