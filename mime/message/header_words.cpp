#include "mime/message/header_words.h"

#include <algorithm>
#include <optional>

#include "config/base/ascii.h"
#include "mime/charset/charset.h"
#include "mime/message/header_block.h"
#include "mime/message/transfer_decoding.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kBlanks = " \t\r\n\f";

/// A charset whose words each begin and end in ASCII.
constexpr std::string_view kNeverJoined = "iso-2022-jp";

/// The maximum size of a part of a language tag (RFC 2231 5).
constexpr std::size_t kSubtagBytesMax = 8;

/// The number of "?" in a word before its end: "=?" charset "?" encoding "?".
constexpr unsigned kMarksOfAWord = 3;

struct EncodedWord {
  std::string_view charset;
  bool base64 = false;
  std::string_view text;
};

bool is_graph(char c) { return c > ' ' && c < '\x7f'; }

bool is_charset(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_graph(c) && std::string_view("()<>@,;:\"/[]?.=*").find(c) == kNone;
  });
}

bool is_language(std::string_view name) {
  std::size_t letters = 0;
  for (const char c : name) {
    if (c == '-' && letters > 0) {
      letters = 0;
    } else if (!ascii::is_alpha(c) || ++letters > kSubtagBytesMax) {
      return false;
    }
  }
  return letters > 0;
}

/// Parses `value`, an encoded word with its "?=", like rspamd: the text ends at the last "?" before
/// the first byte that a word must not contain.
std::optional<EncodedWord> read_encoded_word(std::string_view value, Compat compat) {
  const std::size_t name_end = value.find('?', 2);
  if (name_end == kNone || name_end + 2 >= value.size()) return std::nullopt;
  const std::string_view name = value.substr(2, name_end - 2);
  const std::size_t star = name.find('*');
  if (!is_charset(name.substr(0, star))) return std::nullopt;
  if (star != kNone && !is_language(name.substr(star + 1))) return std::nullopt;
  const char encoding = ascii::to_lower(value[name_end + 1]);
  if ((encoding != 'q' && encoding != 'b') || value[name_end + 2] != '?') return std::nullopt;

  const std::string_view text = value.substr(name_end + 3);
  std::optional<std::size_t> end;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && !is_graph(text[i])) break;
    if (text[i] != '?') continue;
    const bool last = text.substr(i, 2) == "?=";
    if (i > 0 || (last && compat == Compat::kRspamd4)) end = i;
    if (last) break;
  }
  if (!end) return std::nullopt;
  return EncodedWord{name.substr(0, star), encoding == 'b', text.substr(0, *end)};
}

unsigned hex_or_zero(char c) { return is_hex(c) ? hex_digit(c) : 0; }

/// RFC 2047 4.2 like rspamd: any two characters after "=" are an escape, and a character that is
/// not a digit counts as 0. A "=" at the end takes the "?" after the text as its first digit; if it
/// follows a letter and there was an escape before, the word is lost.
std::string decode_q(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool behind_letter = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      out.push_back(text[i] == '_' ? ' ' : text[i]);
      behind_letter = text[i] != '_';
    } else if (i + 1 == text.size()) {
      if (behind_letter && out.size() < i) return {};
      out.push_back('?');
    } else {
      behind_letter = false;
      if (i + 2 < text.size()) {
        out.push_back(static_cast<char>(hex_or_zero(text[i + 1]) << 4U | hex_or_zero(text[i + 2])));
      }
      i += 2;
    }
  }
  return out;
}

/// Whether there is more padding than the last group needs.
bool is_over_padded(std::string_view base64) {
  constexpr std::size_t kGroup = 4;
  const std::size_t digits = std::min(base64.find('='), base64.size());
  const std::size_t missing = (kGroup - digits % kGroup) % kGroup;
  return base64.size() - digits > missing;
}

std::string decode_word_bytes(const EncodedWord& word, Compat compat) {
  if (!word.base64) return decode_q(word.text);
  if (compat == Compat::kRspamd4 && is_over_padded(word.text)) return {};
  return decode_base64(word.text, word.text.size());
}

/// Reads a value from front to end, each byte once or twice.
class WordReader {
 public:
  WordReader(std::string_view value, Compat compat, WorkMeter& meter)
      : value_(value), compat_(compat), meter_(meter) {}

  std::string read() {
    std::size_t text = 0;  // ordinary text not yet copied
    std::size_t at = 0;
    for (std::size_t begin = value_.find("=?"); begin != kNone; begin = value_.find("=?", at)) {
      out_ += replace_invalid_utf8(value_.substr(text, begin - text));
      const std::optional<std::size_t> end = read_words(begin);
      if (!end) return std::move(out_);
      text = *end;
      at = text + 1;  // the "=" at the end of an invalid word does not begin another
    }
    out_ += replace_invalid_utf8(value_.substr(text));
    return std::move(out_);
  }

 private:
  /// Reads adjacent words from `begin` on. Returns where ordinary text begins; nullopt at the end
  /// of the value.
  std::optional<std::size_t> read_words(std::size_t begin) {
    for (;;) {
      const std::size_t end = word_end(begin);
      if (end == kNone) {
        // 3.4 forgets the words before a word that has no end.
        if (compat_ == Compat::kRspamd4) flush();
        add_raw(value_.substr(begin));
        return std::nullopt;
      }
      const auto word = read_encoded_word(value_.substr(begin, end + 1 - begin), compat_);
      if (!word) {
        flush();
        add_raw(value_.substr(begin, end - begin));
        return end;
      }
      add_word(*word);
      const std::size_t next = value_.find_first_not_of(kBlanks, end + 1);
      if (next == kNone || value_.substr(next, 2) != "=?") {
        flush();
        return next == kNone ? std::nullopt : std::optional(end + 1);
      }
      begin = next;
    }
  }

  /// The final "=" of the word that begins at `begin`: of the first "?=" with enough "?" before it.
  [[nodiscard]] std::size_t word_end(std::size_t begin) const {
    unsigned marks = 0;
    bool behind_mark = false;
    for (std::size_t i = begin + 2; i < value_.size(); ++i) {
      const char c = value_[i];
      if (c == '=' && behind_mark && marks >= kMarksOfAWord) return i;
      // 3.4 counts adjacent "?" as one, so an empty word has no end.
      if (c == '?' && (!behind_mark || compat_ == Compat::kRspamd4)) ++marks;
      behind_mark = c == '?';
    }
    return kNone;
  }

  /// Joins adjacent words as bytes. The charset of the second word also applies to the first; later
  /// changes convert the bytes so far, from the new charset.
  void add_word(const EncodedWord& word) {
    if (!bytes_.empty()) {
      if (joined_.empty()) joined_ = word.charset;
      if (!ascii::equal_ignoring_case(word.charset, joined_) ||
          ascii::equal_ignoring_case(word.charset, kNeverJoined)) {
        convert(word.charset);
      }
    }
    charset_ = word.charset;
    bytes_ += decode_word_bytes(word, compat_);
  }

  void flush() {
    if (!bytes_.empty()) convert(charset_);
  }

  void convert(std::string_view charset) {
    out_ += decode_word(bytes_, charset, meter_);
    bytes_.clear();
    joined_ = charset;
  }

  /// Adds text that looks like a word but is not one.
  void add_raw(std::string_view text) { out_ += decode_word(text, "utf-8", meter_); }

  std::string_view value_;
  Compat compat_;
  WorkMeter& meter_;
  std::string out_;
  std::string bytes_;         ///< of the words since the last ordinary text
  std::string_view charset_;  ///< of the latest word
  std::string_view joined_;   ///< of the words before
};

}  // namespace

std::string decode_header_words(std::string_view value, Compat compat, WorkMeter& meter) {
  return WordReader(value, compat, meter).read();
}

std::string decode_subject(std::string_view raw_value, Compat compat, WorkMeter& meter) {
  std::string unfolded = unfold(raw_value);
  unfolded.erase(0, std::min(unfolded.find_first_not_of(" \t\r\n\v\f"), unfolded.size()));
  std::string subject = decode_header_words(unfolded, compat, meter);
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
