#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mime/attachment/pdf_syntax.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The keys of dictionaries that we look at.
enum class PdfKey : std::uint8_t {
  kContents,
  kDecodeParms,
  kEncrypt,
  kFilter,
  kFirst,
  kJs,
  kLength,
  kN,
  kOpenAction,
  kS,
  kType
};

/// An object: "1 0 obj ... endobj", or a member of an object stream.
struct PdfObject {
  double number = 0;
  double generation = 0;
  std::size_t begin = 0;  ///< in the body
  std::string_view data;
  std::optional<std::string_view> stream;
  bool readable = false;          ///< could be parsed
  std::optional<PdfValue> plain;  ///< its value if it is a string, name or number
  std::vector<std::pair<PdfKey, PdfValue>> entries;
  bool typed = false;  ///< already looked at, or the content of a page

  [[nodiscard]] const PdfValue* entry(PdfKey key) const;
};

/// What a value refers to: an object, or a plain value. Both are empty for a dangling reference.
struct PdfTarget {
  PdfObject* object = nullptr;
  std::optional<PdfValue> value;
};

/// The objects of a PDF, found as rspamd finds them: by the marks around them, without the
/// cross-reference tables.
/// Threads: one.
/// Cost: see pdf_scripts.h.
class PdfObjects {
 public:
  PdfObjects(std::string_view body, WorkMeter& meter);

  [[nodiscard]] std::deque<PdfObject>& all() { return objects_; }
  PdfTarget resolve(const PdfValue& value);
  /// The unpacked stream of an object; nullopt if it has none, or one that cannot be unpacked.
  std::optional<std::string> stream_of(const PdfObject& object);
  /// Whether the PDF has something that makes rspamd give up on it.
  [[nodiscard]] bool given_up() const { return given_up_; }

 private:
  void collect();
  void attach_streams();
  void read(PdfObject& object);
  void read_object_streams();
  void take_object_stream(const PdfObject& stream);
  std::optional<double> number_of(const PdfValue* value);
  std::optional<std::vector<std::string>> filters_of(const PdfObject& object);

  std::string_view body_;
  WorkMeter& meter_;
  std::deque<PdfObject> objects_;  ///< addresses are stable
  std::map<std::pair<double, double>, PdfObject*> by_number_;
  std::deque<std::string> unpacked_;
  std::size_t unpacked_bytes_ = 0;
  bool encrypted_ = false;
  bool given_up_ = false;
};

}  // namespace shingled::mime
