// Kinds that a limit per part stops, repeated in many parts.
#include <algorithm>
#include <array>
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::array<std::string_view, 34> kAgain{"html-nested-links-text",
                                                  "html-nested-links-full",
                                                  "html-nested-links-long-text",
                                                  "html-nested-links-mailto",
                                                  "html-nested-div",
                                                  "html-links-structure",
                                                  "html-close-unknown",
                                                  "markup-entities-named",
                                                  "markup-nulls-alone",
                                                  "style-rules-classes",
                                                  "style-rules-elements",
                                                  "style-attributes",
                                                  "text-combining-run",
                                                  "text-ligatures-run",
                                                  "text-han",
                                                  "text-thai",
                                                  "text-one-letter-words",
                                                  "text-different-words",
                                                  "text-prose",
                                                  "text-emoji",
                                                  "link-bare-names",
                                                  "link-hosts",
                                                  "link-users-one-sign",
                                                  "link-dotted-hosts",
                                                  "charset-shift-jis-kana",
                                                  "charset-wrong-label",
                                                  "charset-noise-unlabelled",
                                                  "charset-utf-7",
                                                  "base64-of-html",
                                                  "qp-escapes",
                                                  "delimiter-lines",
                                                  "nest-quoted-printable",
                                                  "nest-multiparts-all-delimiters",
                                                  "parameter-quotes-open"};
constexpr std::size_t kPartBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kPartsMin = 4;

}  // namespace

std::vector<HostileKind> many_kinds(const std::vector<HostileKind>& others) {
  std::vector<HostileKind> kinds;
  for (const HostileKind& kind : others) {
    if (std::find(kAgain.begin(), kAgain.end(), kind.name) == kAgain.end()) continue;
    kinds.push_back({"many-" + kind.name, "many parts, each: " + kind.why,
                     [make = kind.make](std::size_t bytes) {
                       const std::string part = make(std::min(kPartBytesMax, bytes / kPartsMin));
                       return repeat(mixed("many"), "--many\n" + part + "\n", bytes);
                     }});
  }
  return kinds;
}

}  // namespace shingled::hostile
