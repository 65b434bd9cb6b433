#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mime/charset/charset.h"
#include "mime/language/trigram_vote.h"
#include "mime/message/header_words.h"
#include "mime/message/message_scan.h"
#include "mime/message/part_kind.h"
#include "mime/text/text_words.h"

namespace shingled::mime {

// The functions that take a meter, with unlimited work, for tests of other things.

inline Mail scan_all(std::string_view message, const MimeOptions& options = {}) {
  WorkMeter meter(UINT64_MAX);
  return scan_message(message, options, meter);
}

inline PartContent content_of(const Mail& mail, const MailPart& part) {
  WorkMeter meter(UINT64_MAX);
  return classify_part(mail, part, meter);
}

inline DecodedText decode_all(std::string_view bytes, std::string_view label,
                              std::string& storage) {
  WorkMeter meter(UINT64_MAX);
  return decode_text(bytes, label, SIZE_MAX, storage, meter);
}

inline std::string decoded_subject(std::string_view raw_value, Compat compat = Compat::kRspamd4) {
  WorkMeter meter(UINT64_MAX);
  return decode_subject(raw_value, compat, meter);
}

inline std::string decoded_word(std::string_view bytes, std::string_view label) {
  WorkMeter meter(UINT64_MAX);
  return decode_word(bytes, label, meter);
}

inline HtmlText read_html(std::string_view html, const HtmlLimits& limits, Compat compat) {
  WorkMeter meter(UINT64_MAX);
  return html_to_text(html, limits, compat, meter);
}

inline std::vector<UrlSpan> all_urls(std::string_view text,
                                     std::span<const std::uint32_t> line_starts, UrlMode mode,
                                     Compat compat) {
  WorkMeter meter(UINT64_MAX);
  return find_urls(text, line_starts, mode, compat, meter);
}

inline std::vector<Token> split_all(std::string_view text, std::span<const Exception> exceptions,
                                    const TokenizerOptions& options) {
  WorkMeter meter(UINT64_MAX);
  return split_words(text, exceptions, options, meter);
}

inline Language language_of(std::string_view line, std::span<const Token> tokens, Compat compat) {
  WorkMeter meter(UINT64_MAX);
  return detect_language(line, tokens, compat, meter);
}

inline TrigramShares all_shares(std::string_view line, std::span<const Token> words,
                                Alphabet alphabet) {
  WorkMeter meter(UINT64_MAX);
  return expect_trigram_shares(line, words, alphabet, meter);
}

inline TextWords words_of(const TextInput& input, const MimeOptions& options) {
  WorkMeter meter(UINT64_MAX);
  return make_words(input, options, meter);
}

}  // namespace shingled::mime
