#include "mime/text/text_words.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"
#include "mime/language/stemmer.h"
#include "mime/url/web_url.h"
#include "mime/words/tokenizer.h"
#include "mime/words/word_normaliser.h"

namespace shingled::mime {

namespace {

// For the most expensive texts: empty lines break URLs, and stop words are looked up, too.
constexpr Steps kStepsATextByte = 14;
constexpr Steps kStepsAWord = 50;         // that is kept
constexpr Steps kStepsAnAsciiByte = 2;    // for its normal form
constexpr Steps kStepsAUnicodeByte = 30;  // for its normal form by ICU

constexpr std::size_t kLinkBytesMin = 5;  ///< of printed text that may be an exception

/// The first `bytes_max` bytes, not ending within a character.
std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && is_utf8_continuation(text[end])) --end;
  return text.substr(0, end);
}

bool is_link_exception(const LinkSpan& link, const TextInput& input, Compat compat,
                       WorkMeter& meter) {
  if (link.length < kLinkBytesMin || link.offset + link.space > input.content.size()) return false;
  const std::string_view printed = input.content.substr(link.offset + link.space, link.length);
  return begins_with_url(printed, compat, meter) && begins_with_url(link.url, compat, meter);
}

/// All exceptions by offset; at equal offsets URLs, the latest found first, then line starts, then
/// links (HASHING.md 9, step 8).
std::vector<Exception> merge_exceptions(std::span<const UrlSpan> urls, const Oneline& line,
                                        const TextInput& input, Compat compat, WorkMeter& meter) {
  std::vector<Exception> all;
  all.reserve(urls.size() + line.line_starts.size() + input.links.size());
  for (auto url = urls.rbegin(); url != urls.rend(); ++url) {
    all.push_back({.offset = url->offset, .length = url->length, .kind = ExceptionKind::kUrl});
  }
  for (const std::uint32_t start : line.line_starts) all.push_back({.offset = start});
  for (const LinkSpan& link : input.links) {
    if (!is_link_exception(link, input, compat, meter)) continue;
    // As in rspamd, the offset is one of the content but used in the shorter line, so it drifts.
    all.push_back({.offset = static_cast<std::uint32_t>(link.offset),
                   .length = static_cast<std::uint32_t>(link.length),
                   .kind = ExceptionKind::kLink});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Exception& a, const Exception& b) { return a.offset < b.offset; });
  return all;
}

WordList make_stems(const TextWords& words, TextBytes bytes, WorkMeter& meter) {
  WordList stems;
  stems.reserve(words.tokens.size(), words.line.text.size());
  WordNormaliser normaliser;
  const Stemmer stemmer(words.language.code);
  const std::string_view line = words.line.text;
  const bool ascii_only = ascii::find_high(line, 0) == line.size();
  const Steps each = stemmer.steps_a_byte() + (ascii_only ? kStepsAnAsciiByte : kStepsAUnicodeByte);
  Steps steps = 0;
  for (const Token& token : words.tokens) {
    if (token.kind == TokenKind::kWord) steps += kStepsAWord + token.length * each;
  }
  if (!meter.spend(steps)) return stems;
  for (const Token& token : words.tokens) {
    if (token.kind != TokenKind::kWord) continue;
    const std::string_view word = line.substr(token.offset, token.length);
    if (bytes == TextBytes::kRaw) {
      stems.add(raw_stem(word));
      continue;
    }
    const std::string_view normal = normaliser.normalise(word);
    if (!normal.empty()) stems.add(stemmer.stem(normal));
  }
  return stems;
}

}  // namespace

TextWords make_words(const TextInput& input, const MimeOptions& options, WorkMeter& meter) {
  TextInput bounded = input;
  bounded.content = cut(input.content, options.text_bytes_max);

  TextWords words;
  if (!meter.spend(bounded.content.size(), kStepsATextByte)) return words;
  words.line = make_oneline(bounded.content, bounded.form, bounded.bytes);
  words.url_mode = bounded.urls;
  words.urls =
      find_urls(words.line.text, words.line.line_starts, bounded.urls, options.compat, meter);
  words.exceptions = merge_exceptions(words.urls, words.line, bounded, options.compat, meter);
  words.tokens =
      bounded.bytes == TextBytes::kRaw
          ? split_raw_words(words.line.text, words.exceptions, options.words_max)
          : split_words(words.line.text, words.exceptions,
                        {.form = options.word_form, .words_max = options.words_max}, meter);
  if (meter.refused()) return words;
  words.language = detect_language(words.line.text, words.tokens, options.compat, meter);
  words.stems = make_stems(words, bounded.bytes, meter);
  words.truncated =
      bounded.content.size() < input.content.size() || words.tokens.size() >= options.words_max;
  return words;
}

}  // namespace shingled::mime
