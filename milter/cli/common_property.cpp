#include "milter/cli/common_property.h"

#include <fmt/format.h>

#include <algorithm>

#include "mime/analysis_parts.h"

namespace shingled::milter {

namespace {
// A third of what the verdict wants of a text: a person has chosen this one.
constexpr std::uint32_t kOwnWordsToTeach = 8;
}  // namespace

std::optional<std::string> common_property(const mime::Analysis& analysis,
                                           std::span<const mime::PartHash> hashes) {
  const auto& parts = analysis.parts().mail.parts;
  const auto report = std::find_if(parts.begin(), parts.end(),
                                   [](const mime::MailPart& part) { return part.is_report(); });
  if (report != parts.end()) {
    return fmt::format("it is a report of a mail system (message/{}), as anybody gets them",
                       report->type.subtype);
  }
  const auto says_little = [](const mime::PartHash& hash) {
    return hash.common && hash.method == mime::HashMethod::kShingles &&
           hash.own_words < kOwnWordsToTeach;
  };
  const auto text = std::find_if(hashes.begin(), hashes.end(), says_little);
  if (text == hashes.end()) return std::nullopt;
  return fmt::format("its text has {}: others write the same, about other things",
                     text->own_words == 0   ? "no words of its own"
                     : text->own_words == 1 ? "one word of its own"
                                            : fmt::format("{} words of its own", text->own_words));
}

}  // namespace shingled::milter
