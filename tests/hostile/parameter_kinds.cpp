// Fields with a grammar: types, dispositions, encodings, their parameters, quotes and comments.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::size_t kFieldBytes = 8000;  ///< just below the limit of a parsed field

/// As many fields as fit; each begins with `begin` and is filled with `piece`.
std::string fields(std::string_view begin, std::string_view piece, std::size_t bytes) {
  const std::string field = repeat(std::string(begin), piece, kFieldBytes) + "\n";
  return repeat(head() + "Subject: hello\n", field, bytes) + "\nbody\n";
}

/// Parts whose header is one field of this form.
std::string parts(std::string_view begin, std::string_view piece, std::size_t bytes) {
  const std::string part = "--b\n" + repeat(std::string(begin), piece, kFieldBytes) + "\n\nx\n";
  return repeat(mixed(), part, bytes);
}

std::string sections(std::size_t bytes, std::string_view behind_number) {
  std::string out = head() + "Subject: hello\nContent-Type: text/plain";
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    out += ";\n name*" + std::to_string(i);
    out += behind_number;
  }
  return out + "\n\nbody\n";
}

}  // namespace

std::vector<HostileKind> parameter_kinds() {
  return {
      {"parameter-quotes", "escaped quotes in repeated Content-Type: each is searched for its end",
       [](std::size_t bytes) { return fields("Content-Type: text/plain; a=\"", "\\\"", bytes); }},
      {"parameter-quotes-open", "a=\"\"\"...: from each quote the next one is searched",
       [](std::size_t bytes) { return fields("Content-Type: text/plain; a=", "\"", bytes); }},
      {"parameter-quotes-open-odd", "quotes after backslashes; the last one never closes",
       [](std::size_t bytes) {
         return fields("Content-Type: text/plain; a=\\", "\"\\\\\\", bytes);
       }},
      {"parameter-quotes-one-field", "the same in one field as long as the message",
       [](std::size_t bytes) {
         return repeat(head() + "Content-Type: text/plain; a=", "\"\\\"", bytes) + "\n\nbody\n";
       }},
      {"parameter-quotes-parts", "the same in the header of each part",
       [](std::size_t bytes) { return parts("Content-Type: text/plain; a=\"", "\\\"", bytes); }},
      {"parameter-comments-open", "comments that never end: each is searched for its end",
       [](std::size_t bytes) { return fields("Content-Type: text/plain; ", "(", bytes); }},
      {"parameter-comments-closed", "thousands of comments",
       [](std::size_t bytes) { return fields("Content-Type: text/plain ", "(a)", bytes); }},
      {"parameter-comments-nested", "comments in comments, with one end",
       [](std::size_t bytes) {
         return repeat(head(), repeat("Content-Type: text/plain ", "(", kFieldBytes) + ")\n",
                       bytes) +
                "\nbody\n";
       }},
      {"parameter-comments-disposition", "comments in dispositions of many parts",
       [](std::size_t bytes) { return parts("Content-Disposition: attachment ", "((", bytes); }},
      {"parameter-types", "repeated Content-Type",
       [](std::size_t bytes) {
         return repeat(head(), "Content-Type: text/plain; charset=utf-8\n", bytes) + "\nbody\n";
       }},
      {"parameter-types-multipart",
       "thousands of multipart types in one header: the last one counts",
       [](std::size_t bytes) {
         return count_up(head(), "Content-Type: multipart/mixed; boundary=b", "\n", bytes) +
                "\n--b0\n\nx\n";
       }},
      {"parameter-type-long", "a type that is one long word",
       [](std::size_t bytes) { return fields("Content-Type: ", "text", bytes); }},
      {"parameter-types-empty", "types that are not valid",
       [](std::size_t bytes) { return repeat(head(), "Content-Type: /;\n", bytes) + "\nbody\n"; }},
      {"parameter-dispositions", "repeated Content-Disposition with names",
       [](std::size_t bytes) {
         return repeat(head(), "Content-Disposition: inline; filename*=utf-8''%e2%82%ac\n", bytes) +
                "\nbody\n";
       }},
      {"parameter-encodings", "repeated Content-Transfer-Encoding, not valid",
       [](std::size_t bytes) {
         return repeat(head(), "Content-Transfer-Encoding: none such\n", bytes) + "\nbody\n";
       }},
      {"parameter-many", "one field with many parameters",
       [](std::size_t bytes) {
         return count_up(head() + "Content-Type: text/plain", "; a", "=b", bytes) + "\n\nbody\n";
       }},
      {"parameter-same", "one parameter name repeated",
       [](std::size_t bytes) { return fields("Content-Type: text/plain", "; name=a", bytes); }},
      {"parameter-semicolons", "only semicolons",
       [](std::size_t bytes) { return fields("Content-Type: text/plain", ";", bytes); }},
      {"parameter-sections", "a name in thousands of sections",
       [](std::size_t bytes) { return sections(bytes, "=a"); }},
      {"parameter-sections-encoded", "sections with a charset and percent escapes",
       [](std::size_t bytes) { return sections(bytes, "*=koi8-r''%c1%c2"); }},
      {"parameter-sections-huge-numbers", "sections with numbers that are too large",
       [](std::size_t bytes) {
         return fields("Content-Type: text/plain", ";name*99999999999999999999*=a", bytes);
       }},
      {"parameter-sections-charsets", "a section of another charset in each part",
       [](std::size_t bytes) {
         return rotate(mixed(),
                       {"--b\nContent-Type: a/b; name*=koi8-r''%c1\n\nx\n",
                        "--b\nContent-Type: a/b; name*=big5''%a4%a4\n\nx\n",
                        "--b\nContent-Type: a/b; name*=euc-jp''%c6%fc\n\nx\n",
                        "--b\nContent-Type: a/b; name*=gb18030''%d6%d0\n\nx\n",
                        "--b\nContent-Type: a/b; name*=euc-kr''%c7%d1\n\nx\n",
                        "--b\nContent-Type: a/b; name*=windows-1251''%e0\n\nx\n",
                        "--b\nContent-Type: a/b; name*=shift_jis''%93%fa\n\nx\n",
                        "--b\nContent-Type: a/b; name*=cp850''%84\n\nx\n",
                        "--b\nContent-Type: a/b; name*=iso-8859-7''%e1\n\nx\n",
                        "--b\nContent-Type: a/b; name*=utf-7''+AOQ-\n\nx\n"},
                       bytes);
       }},
      {"parameter-names-charsets", "a file name of another charset in each part",
       [](std::size_t bytes) {
         return rotate(mixed(),
                       {"--b\nContent-Type: a/b; name=\"=?koi8-r?q?=C1?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?big5?b?pKQ=?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?euc-jp?b?xvw=?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?gb18030?b?1tA=?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?euc-kr?b?x9E=?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?windows-1251?q?=E0?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?shift_jis?b?k/o=?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?cp850?q?=84?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?cp1250?q?=84?=\"\n\nx\n",
                        "--b\nContent-Type: a/b; name=\"=?iso-8859-7?q?=E1?=\"\n\nx\n"},
                       bytes);
       }},
      {"parameter-names-charsets-one-field", "all of them in the name of each part",
       [](std::size_t bytes) {
         return repeat(mixed(),
                       "--b\nContent-Disposition: inline; filename=\"" +
                           rotate("",
                                  {"=?koi8-r?q?=C1?= ", "=?big5?b?pKQ=?= ", "=?euc-jp?b?xvw=?= ",
                                   "=?gb18030?b?1tA=?= ", "=?euc-kr?b?x9E=?= ", "=?cp850?q?=84?= ",
                                   "=?shift_jis?b?k/o=?= ", "=?cp437?q?=84?= ", "=?cp1251?q?=E0?= ",
                                   "=?windows-874?q?=A1?= "},
                                  kFieldBytes) +
                           "\"\n\nx\n",
                       bytes);
       }},
      {"parameter-charset-long", "charset labels of 8 KB",
       [](std::size_t bytes) { return parts("Content-Type: text/plain; charset=", "c", bytes); }},
      {"parameter-backslashes", "backslashes in quotes",
       [](std::size_t bytes) {
         return repeat(head(), repeat("Content-Type: text/plain; a=\"", "\\", kFieldBytes) + "\"\n",
                       bytes) +
                "\nbody\n";
       }},
  };
}

}  // namespace shingled::hostile
