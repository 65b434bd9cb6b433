#include "mime/pieces/text_collector.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mime/fingerprint/mumhash.h"
#include "mime/pieces/text_pieces.h"
#include "mime/text/boilerplate.h"
#include "mime/text/robust_words.h"

namespace shingled::mime {

namespace {

/// A run of words by its hash.
using HashedRun = std::pair<std::uint64_t, std::size_t>;

/// Letters of scripts without spaces take three bytes or more; of others only few do.
bool is_dense_word(std::string_view word) {
  return !word.empty() && static_cast<unsigned char>(word.front()) >= 0xE0;
}

std::size_t phrase_words(std::string_view first) {
  return is_dense_word(first) ? kPhraseWordsDense : kPhraseWords;
}

std::string spaced(const WordList& words, std::size_t begin, std::size_t count) {
  std::string out;
  const std::string_view last = words[begin + count - 1];
  out.reserve(static_cast<std::size_t>(last.data() + last.size() - words[begin].data()) + count);
  for (std::size_t i = begin; i < begin + count; ++i) {
    if (i > begin) out += ' ';
    out += words[i];
  }
  return out;
}

std::uint64_t hash_of(const WordList& words, std::size_t begin, std::size_t count) {
  const std::string_view first = words[begin];
  const std::string_view last = words[begin + count - 1];
  const auto bytes = static_cast<std::size_t>(last.data() + last.size() - first.data());
  return fingerprint::mumhash({first.data(), bytes}, 0);
}

/// By place: how many of the words before it are of notices.
std::vector<std::uint32_t> count_notice_words(const WordList& words) {
  std::vector<std::uint32_t> before(words.size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i)
    before[i + 1] = before[i] + (is_boilerplate(words[i]) ? 1U : 0U);
  return before;
}

/// Those with the smallest hashes, in their order. A phrase that is repeated counts once.
class SmallestRuns {
 public:
  /// Runs come in the order of the text.
  void add(const HashedRun& run) {
    if (count_ == kPhrasesMax && run.first >= runs_[kPhrasesMax - 1].first) return;
    const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto place = std::lower_bound(runs_.begin(), end, run);
    if (place != end && place->first == run.first) return;
    if (place != runs_.begin() && (place - 1)->first == run.first) return;
    if (count_ < kPhrasesMax) ++count_;
    const auto last = runs_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::move_backward(place, last, last + 1);
    *place = run;
  }
  [[nodiscard]] std::vector<std::string> texts(const WordList& words) const {
    std::vector<std::string> out;
    out.reserve(count_);
    for (const auto& [hash, begin] : std::span(runs_).first(count_))
      out.push_back(spaced(words, begin, phrase_words(words[begin])));
    return out;
  }

 private:
  std::array<HashedRun, kPhrasesMax> runs_;
  std::size_t count_ = 0;
};

}  // namespace

Phrases sample_phrases(const WordList& words) {
  const std::vector<std::uint32_t> notice_words = count_notice_words(words);
  SmallestRuns own;
  SmallestRuns notices;
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    const std::size_t count = phrase_words(words[begin]);
    if (count > words.size() - begin) continue;
    const bool notice = notice_words[begin + count] - notice_words[begin] >= kNoticeWordsOfPhrase;
    (notice ? notices : own).add({hash_of(words, begin, count), begin});
  }
  return {own.texts(words), notices.texts(words)};
}

std::string short_text(const WordList& words) {
  if (words.size() < kShortTextWordsMin || words.size() >= phrase_words(words[0])) return {};
  std::string text = spaced(words, 0, words.size());
  return text.size() < kShortTextBytesMin ? std::string() : text;
}

namespace {

constexpr Steps kStepsARobustByte = 15;  // as for the robust hash

/// Whether the words are of all that the text says itself, and of nothing else.
bool has_words_of_own(const TextStages& text) {
  const std::string_view own = text.own();
  const bool all = own.data() == text.content.data() && own.size() == text.content.size();
  return all && !text.raw && !text.words.truncated && !text.words.line.text.empty();
}

}  // namespace

void TextCollector::add(std::size_t part, const TextStages& text) {
  if (parts_.of_others[part]) return;
  if (!has_room()) return pieces_.note_dropped();
  ++count_;
  const bool html = parts_.contents[part].kind == ContentKind::kHtml;
  add_text_pieces({.content = text.own(),
                   .form = html ? TextForm::kHtml : TextForm::kPlain,
                   .elements = text.own_elements(),
                   .words = has_words_of_own(text) ? &text.words : nullptr},
                  parts_.options.compat, options_, meter_, pieces_, searched_);
  if (searched_ == Searched::kLinks) return;
  if (!std::binary_search(parts_.body.begin(), parts_.body.end(), part)) return;
  quotes_ = quotes_ || text.without_quotes;
  add_phrases(text, html);
}

void TextCollector::add_phrases(const TextStages& text, bool html) {
  const std::size_t bytes = std::min(text.own().size(), kRobustTextBytesMax);
  if (!meter_.spend(bytes, kStepsARobustByte)) return pieces_.note_dropped();
  const WordList& words = text.read_robust(html ? TextForm::kHtml : TextForm::kPlain).with_notices;
  Phrases phrases = sample_phrases(words);
  for (std::string& own : phrases.own) pieces_.add(PieceType::kPhrase, std::move(own));
  for (std::string& notice : phrases.notices) pieces_.add(PieceType::kNotice, std::move(notice));
  pieces_.add(PieceType::kShortText, short_text(words));
  if (html) add_hidden(text.own_hidden());
  if (text.without_quotes) add_quoted(text.without_quotes->quoted, html);
}

void TextCollector::add_quoted(std::string_view quoted, bool html) {
  quoted = quoted.substr(0, kRobustTextBytesMax);
  if (!meter_.spend(quoted.size(), kStepsARobustByte)) return pieces_.note_dropped();
  const TextForm form = html ? TextForm::kHtml : TextForm::kPlain;
  std::vector<std::string> phrases =
      sample_phrases(robust_words(quoted, form, Notices::kKept).words).own;
  for (std::size_t i = 0; i < std::min<std::size_t>(phrases.size(), kQuotedPhrasesOfTextMax); ++i) {
    pieces_.add(PieceType::kQuotedPhrase, std::move(phrases[i]));
  }
}

void TextCollector::add_hidden(std::string_view hidden) {
  if (hidden.empty()) return;
  if (!meter_.spend(hidden.size(), kStepsARobustByte)) return pieces_.note_dropped();
  const RobustText robust = robust_words(hidden, TextForm::kHtml, Notices::kKept);
  for (std::string& phrase : sample_phrases(robust.words).own)
    pieces_.add(PieceType::kHiddenPhrase, std::move(phrase));
}

void TextCollector::add_all() {
  for (const std::uint32_t part : parts_.body) read(part);
  for (std::size_t i = 0; i < parts_.mail.parts.size(); ++i) {
    const bool body = std::binary_search(parts_.body.begin(), parts_.body.end(), i);
    if (!body && parts_.is_readable(i)) read(i);
  }
}

void TextCollector::read(std::size_t part) {
  if (parts_.of_others[part]) return;
  if (!has_room() || meter_.refused()) return pieces_.note_dropped();
  TextStages text;
  read_content(parts_, part, meter_, text);
  if (!text.complete) return pieces_.note_dropped();
  add(part, text);
}

}  // namespace shingled::mime
