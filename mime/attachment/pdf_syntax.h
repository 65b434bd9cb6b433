#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

// The values in a PDF (ISO 32000-1, 7.3) as rspamd's grammar reads them, with its mistakes: an
// array or dictionary after a space does not count as an element of an array, a reference may lack
// its end, and a hexadecimal string has no spaces.
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
  double number = 0;           ///< of a reference: the number of the object
  double generation = 0;       ///< of a reference
  std::size_t end = 0;         ///< offset in the bytes that were read
  bool unreadable = false;     ///< makes everything that contains it unreadable

  [[nodiscard]] bool is_text() const {
    return kind == Kind::kString || kind == Kind::kHexString || kind == Kind::kName;
  }
};

/// The values of an object or of the inside of an array, up to the first invalid one.
std::vector<PdfValue> read_pdf_values(std::string_view bytes, std::size_t count_max);

/// Takes an entry of a dictionary off the front of `inside`.
struct PdfEntry {
  std::string key;
  PdfValue value;
};
std::optional<PdfEntry> take_pdf_entry(std::string_view& inside);

/// The text of a string or name with its escapes decoded; nullopt for an invalid escape.
std::optional<std::string> pdf_text(const PdfValue& value);

/// The number and offset of an object in an object stream, from the list at its beginning.
struct PdfIndexEntry {
  double number = 0;
  double offset = 0;
};
std::vector<PdfIndexEntry> read_pdf_index(std::string_view bytes, std::size_t count_max);

/// Deeper arrays and dictionaries are not read.
inline constexpr unsigned kPdfDepthMax = 132;

}  // namespace shingled::mime
