// Any bytes as a one-line text; the first byte chooses version and alphabet. A text with words
// always has the same language. The shares of trigrams are finite and not larger than a sample of
// 80 words can make them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/language/language.h"
#include "mime/language/trigram_vote.h"
#include "tests/mime/unmetered.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void require(bool holds) {
  if (!holds) std::abort();
}

// Words of 128 letters have 128 trigrams; each has a share of at most one and the weight four.
constexpr double kShareMax = 80.0 * 128 * 4;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view line(reinterpret_cast<const char*>(data + 1), size - 1);
  const Compat compat = (data[0] & 1) != 0 ? Compat::kRspamd4 : Compat::kRspamd3;
  const auto alphabet = static_cast<Alphabet>(data[0] >> 1 & 3);
  const auto tokens = split_all(line, {}, {});

  const Language language = language_of(line, tokens, compat);
  require(language.code.empty() == tokens.empty());
  require(language.code.empty() == (language.by == LanguageBy::kNone));
  require(language_of(line, tokens, compat).code == language.code);

  const TrigramShares shares = all_shares(line, tokens, alphabet);
  double sum = 0;
  for (const double share : shares) {
    require(std::isfinite(share) && share >= 0 && share <= kShareMax);
    sum += share;
  }
  if (sum == 0) require(elect_language(shares).empty());
  return 0;
}
