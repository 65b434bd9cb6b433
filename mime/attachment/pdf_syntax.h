#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

// The values a PDF is made of (ISO 32000-1, 7.3), as rspamd's grammar reads them, with what it gets
// wrong: an array or a dictionary behind a space is no element of an array, a reference may lack
// its end, a hexadecimal string has no spaces.
// Errors: none.
// Threads: stateless.
// Cost: linear; values are views.

struct PdfValue {
  enum class Kind : std::uint8_t {
    kComment,
    kString,     ///< in parentheses
    kHexString,  ///< in angle brackets
    kName,       ///< or a boolean
    kNumber,
    kReference,
    kArray,
    kDictionary
  };
  Kind kind = Kind::kComment;
  std::string_view text = {};  ///< without its delimiters
  double number = 0;           ///< of a reference the number of the object
  double generation = 0;       ///< of a reference
  std::size_t end = 0;         ///< where the value ends in what was read
  bool unreadable = false;     ///< it or a part of it spoils all that it is in

  [[nodiscard]] bool is_text() const {
    return kind == Kind::kString || kind == Kind::kHexString || kind == Kind::kName;
  }
};

/// The value at `at`; none if there is no whole one.
std::optional<PdfValue> read_pdf_value(std::string_view bytes, std::size_t at);

/// The values of an object or of the inside of an array, up to what is none.
std::vector<PdfValue> read_pdf_values(std::string_view bytes, std::size_t count_max);

/// An entry of a dictionary at the front of `inside`, which moves behind it.
struct PdfEntry {
  std::string key;
  PdfValue value;
};
std::optional<PdfEntry> take_pdf_entry(std::string_view& inside);

/// What a string or name says, its escapes undone; nothing if one of them is none.
std::optional<std::string> pdf_text(const PdfValue& value);

/// Pairs of numbers in front of the objects of an object stream: number and offset.
struct PdfIndexEntry {
  double number = 0;
  double offset = 0;
};
std::vector<PdfIndexEntry> read_pdf_index(std::string_view bytes, std::size_t count_max);

/// Containers deeper than this are not read.
inline constexpr unsigned kPdfDepthMax = 132;

}  // namespace shingled::mime
