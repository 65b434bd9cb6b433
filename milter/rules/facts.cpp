#include "milter/rules/facts.h"

#include <algorithm>

namespace shingled::milter::rules {

bool Lookup::is_quoted() const {
  if (!hash.quoted) return false;
  const bool text = hash.kind == mime::PartKind::kText || hash.kind == mime::PartKind::kHtml;
  return !(text && hash.place == mime::PartPlace::kBody && match.exact);
}

TextAmount amount_of_text(std::size_t bytes) {
  constexpr std::size_t kShortTextBytesMax = 25;  // about five words
  if (bytes == 0) return TextAmount::kNone;
  return bytes <= kShortTextBytesMax ? TextAmount::kShort : TextAmount::kLong;
}

std::string_view to_string(Lookup::Outcome outcome) {
  switch (outcome) {
    case Lookup::Outcome::kHit:
      return "hit";
    case Lookup::Outcome::kMiss:
      return "miss";
    case Lookup::Outcome::kRefused:
      return "refused";
    case Lookup::Outcome::kTimeout:
      return "timeout";
    case Lookup::Outcome::kUnreachable:
      return "unreachable";
  }
  return "unreachable";
}

std::size_t Facts::failed() const {
  return static_cast<std::size_t>(std::count_if(
      lookups.begin(), lookups.end(), [](const Lookup& lookup) { return lookup.failed(); }));
}

}  // namespace shingled::milter::rules
