#include "mime/message/header_words.h"

#include <optional>

#include "mime/ascii.h"
#include "mime/message/charset.h"
#include "mime/message/header_block.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {
namespace {

/// Each of its words begins and ends in ASCII.
constexpr std::string_view kNeverJoined = "iso-2022-jp";

struct EncodedWord {
  std::string_view charset;
  char encoding = 'q';  // 'q' or 'b'
  std::string_view text;
  std::size_t size = 0;  // of the whole "=?...?="
};

/// The encoded word at the front of `value`.
std::optional<EncodedWord> read_encoded_word(std::string_view value) {
  if (value.substr(0, 2) != "=?") return std::nullopt;
  const std::size_t charset_end = value.find('?', 2);
  if (charset_end == std::string_view::npos || charset_end == 2 ||
      charset_end + 2 >= value.size() || value[charset_end + 2] != '?') {
    return std::nullopt;
  }
  EncodedWord word;
  word.charset = value.substr(2, charset_end - 2);
  word.charset = word.charset.substr(0, word.charset.find('*'));  // RFC 2231 5: a language
  word.encoding = ascii::to_lower(value[charset_end + 1]);
  if (word.encoding != 'q' && word.encoding != 'b') return std::nullopt;
  const std::size_t text_begin = charset_end + 3;
  const std::size_t text_end = value.find("?=", text_begin);
  if (text_end == std::string_view::npos) return std::nullopt;
  word.text = value.substr(text_begin, text_end - text_begin);
  word.size = text_end + 2;
  return word;
}

std::string decode_word_bytes(const EncodedWord& word) {
  if (word.encoding == 'b') return decode_base64(word.text, word.text.size());
  std::string underscored(word.text);
  for (char& c : underscored) {
    if (c == '_') c = ' ';
  }
  return decode_quoted_printable(underscored, underscored.size());
}

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string decode_header_words(std::string_view value, WorkMeter& meter) {
  std::string out;
  std::string bytes;           // of the encoded words since the last ordinary text
  std::string_view charset;    // of the latest of them
  std::size_t text_begin = 0;  // ordinary text not yet copied
  bool after_word = false;
  const auto flush = [&] {
    if (after_word) out += decode_word(bytes, charset, meter);
    bytes.clear();
  };
  // No word begins behind the last "?=", which keeps a row of "=?x?q?" from being searched again
  // and again.
  const std::size_t last_end = value.rfind("?=");
  std::size_t at = 0;
  while (last_end != std::string_view::npos && (at = value.find("=?", at)) < last_end) {
    const std::optional<EncodedWord> word = read_encoded_word(value.substr(at));
    if (!word) {
      ++at;
      continue;
    }
    const std::string_view between = value.substr(text_begin, at - text_begin);
    if (!after_word || !is_blank_text(between)) {
      flush();
      out += replace_invalid_utf8(between);
    }
    const bool another_charset = !ascii::equal_ignoring_case(charset, word->charset);
    charset = word->charset;
    const bool alone = ascii::equal_ignoring_case(charset, kNeverJoined);
    if (after_word && (another_charset || alone)) flush();  // with the new charset
    bytes += decode_word_bytes(*word);
    after_word = true;
    at += word->size;
    text_begin = at;
  }
  flush();
  const std::string_view rest = value.substr(text_begin);
  if (!after_word || !is_blank_text(rest)) out += replace_invalid_utf8(rest);
  return out;
}

std::string decode_subject(std::string_view raw_value, WorkMeter& meter) {
  const std::string unfolded = unfold(raw_value);
  std::string subject = decode_header_words(unfolded, meter);
  subject.erase(0, std::min(subject.find_first_not_of(" \t\r\n\v\f"), subject.size()));
  for (char& c : subject) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      c = ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      c = '?';
    }
  }
  return subject;
}

}  // namespace shingled::mime
