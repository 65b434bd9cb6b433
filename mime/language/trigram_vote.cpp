#include "mime/language/trigram_vote.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "mime/words/word_normaliser.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kStretches = 80;
constexpr std::size_t kWordsPerStretchMax = 16;
constexpr std::size_t kLettersMax = 128;
constexpr Steps kStepsAWord = 100;
constexpr Steps kStepsAByte = 30;    ///< its normal form, and a look-up a letter
constexpr double kMillionth = 1e-6;  ///< the unit of the table

constexpr double kShareLog2Min = -8.0;      ///< languages with less are not candidates
constexpr double kBehindBestLog2Max = 1.0;  ///< half of the best share
constexpr double kDeviationUnclear = 0.25;  ///< of the mean; below it no language stands out
constexpr double kCommonBonus = 1.6;        ///< in mean deviations
constexpr double kCommonestBonus = 19.2;    ///< in mean deviations
constexpr std::string_view kCommonest = "en";
constexpr std::array<std::string_view, 9> kCommon = {"ar", "de", "es", "fr", "it",
                                                     "nl", "pl", "pt", "ru"};

/// Reads words of a line letter by letter and looks up their trigrams.
class WordReader {
 public:
  WordReader(std::string_view line, Alphabet alphabet, WorkMeter& meter)
      : line_(line), alphabet_(alphabet), meter_(meter) {}

  /// Reads a word. Returns whether rspamd would keep it.
  bool read(const Token& token) {
    size_ = 0;
    if (token.kind == TokenKind::kUrl) return false;
    if (!meter_.spend(kStepsAWord + token.length * kStepsAByte)) return false;
    const std::string_view word = normaliser_.normalise(line_.substr(token.offset, token.length));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(word.data());
    const auto end = static_cast<std::int32_t>(word.size());
    for (std::int32_t at = 0; at < end && size_ < kLettersMax;) {
      UChar32 letter = 0;
      U8_NEXT(bytes, at, end, letter);
      letters_[size_++] = static_cast<std::uint32_t>(letter);
    }
    return size_ >= 2 && is_letter(letters_[0]) && is_letter(letters_[size_ - 1]);
  }

  /// Adds the shares of the word. Like rspamd, skips the second trigram, the first three letters.
  void add_to(TrigramShares& shares) const {
    if (size_ < 3) return;
    add(shares, ' ', letters_[0], letters_[1]);
    for (std::size_t i = 1; i + 2 < size_; ++i) {
      add(shares, letters_[i], letters_[i + 1], letters_[i + 2]);
    }
    add(shares, letters_[size_ - 2], letters_[size_ - 1], ' ');
  }

 private:
  static bool is_letter(std::uint32_t code) { return u_isalpha(static_cast<UChar32>(code)) != 0; }

  void add(TrigramShares& shares, std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const Trigram trigram{.alphabet = alphabet_, .letters = {a, b, c}};
    for (const TrigramVote vote : find_votes(trigram_table(), trigram)) {
      shares[vote.language()] += vote.share() * kMillionth;
    }
  }

  std::string_view line_;
  Alphabet alphabet_;
  WorkMeter& meter_;
  WordNormaliser normaliser_;
  std::array<std::uint32_t, kLettersMax> letters_{};
  std::size_t size_ = 0;
};

void add_scaled(TrigramShares& sum, const TrigramShares& shares, double factor) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += shares[i] * factor;
}

/// The words of a stretch that may be drawn.
struct Stretch {
  TrigramShares shares{};
  double drawable = 0;  ///< share of its words
};

Stretch read_stretch(WordReader& reader, std::span<const Token> words) {
  Stretch stretch;
  const std::size_t looked_at = std::min(words.size(), kWordsPerStretchMax);
  std::size_t drawable = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    if (!reader.read(words[i * words.size() / looked_at])) continue;
    reader.add_to(stretch.shares);
    ++drawable;
  }
  const double scale = static_cast<double>(words.size()) / static_cast<double>(looked_at);
  for (double& share : stretch.shares) share *= scale;
  stretch.drawable = static_cast<double>(drawable) / static_cast<double>(looked_at);
  return stretch;
}

bool is_common(std::string_view code) {
  return std::find(kCommon.begin(), kCommon.end(), code) != kCommon.end();
}

/// The advantage of a language if no language stands out.
double bonus(std::string_view code, double deviation) {
  if (code == kCommonest) return kCommonestBonus * deviation;
  return is_common(code) ? kCommonBonus * deviation : 0;
}

struct Candidates {
  std::array<std::size_t, kTrigramLanguagesMax> languages{};
  std::array<double, kTrigramLanguagesMax> log2{};
  std::size_t count = 0;
};

Candidates nominate(const TrigramShares& shares) {
  const double best = std::log2(*std::max_element(shares.begin(), shares.end()));
  const double limit = std::max(kShareLog2Min, best - kBehindBestLog2Max);
  Candidates candidates;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double log2 = std::log2(shares[i]);
    if (!(log2 >= limit)) continue;
    candidates.languages[candidates.count] = i;
    candidates.log2[candidates.count] = log2;
    ++candidates.count;
  }
  return candidates;
}

/// The mean deviation if it is small compared to the mean, else 0.
double small_deviation(std::span<const double> values) {
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  double deviation = 0;
  for (const double value : values) deviation += std::fabs(value - mean);
  deviation /= static_cast<double>(values.size());
  return deviation < kDeviationUnclear * std::fabs(mean) ? deviation : 0;
}

}  // namespace

TrigramShares expect_trigram_shares(std::string_view line, std::span<const Token> words,
                                    Alphabet alphabet, WorkMeter& meter) {
  const std::size_t stretches = std::min(words.size(), kStretches);
  if (stretches == 0) return {};
  const std::size_t length = words.size() / stretches;
  const std::size_t first_length = length + words.size() % stretches;

  WordReader reader(line, alphabet, meter);
  TrigramShares expected{};
  reader.read(words.front());
  reader.add_to(expected);

  Stretch all = read_stretch(reader, words.first(first_length));
  double drawable_words = all.drawable * static_cast<double>(first_length);
  double draws_from_all = 0;
  for (std::size_t begin = first_length; begin < words.size(); begin += length) {
    const Stretch stretch = read_stretch(reader, words.subspan(begin, length));
    const double drawable = stretch.drawable * static_cast<double>(length);
    const double never_drawn = std::pow(1 - stretch.drawable, static_cast<double>(length));
    if (drawable > 0) add_scaled(expected, stretch.shares, (1 - never_drawn) / drawable);
    add_scaled(all.shares, stretch.shares, 1);
    drawable_words += drawable;
    draws_from_all += never_drawn;
  }
  if (drawable_words > 0) add_scaled(expected, all.shares, draws_from_all / drawable_words);
  return expected;
}

std::string_view elect_language(const TrigramShares& shares) {
  const Candidates candidates = nominate(shares);
  const std::span<const double> log2(candidates.log2.data(), candidates.count);
  const double deviation = candidates.count > 1 ? small_deviation(log2) : 0;
  std::string_view best;
  double best_score = 0;
  for (std::size_t i = 0; i < candidates.count; ++i) {
    const std::string_view code = trigram_table().languages[candidates.languages[i]];
    const double score = log2[i] + bonus(code, deviation);
    if (!best.empty() && score <= best_score) continue;
    best = code;
    best_score = score;
  }
  return best;
}

}  // namespace shingled::mime
