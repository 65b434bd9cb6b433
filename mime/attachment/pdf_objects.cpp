#include "mime/attachment/pdf_objects.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "config/base/ascii.h"
#include "mime/attachment/inflate.h"
#include "mime/attachment/pdf_scripts.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kNone = std::string_view::npos;

// rspamd's own bounds.
constexpr std::size_t kMarksMax = 10'000;           ///< of objects, and of streams
constexpr std::size_t kReadBytesMax = 32UL * 1024;  ///< of an object without its stream
constexpr std::size_t kUnpackedMax = 512UL * 1024;  ///< of a stream
constexpr std::size_t kTrailerAtMax = 10UL * 1024 * 1024;
constexpr std::size_t kTrailerLinesMax = 101;
constexpr std::size_t kNumbersBytesMax = 32;  ///< before "obj" that may hold its numbers

constexpr Steps kStepsAMarkedByte = 2;
constexpr Steps kStepsAReadByte = 30;
constexpr Steps kStepsAnObject = 500;
constexpr std::size_t kFiltersMax = 16;

using ascii::is_space;

bool is_break(char c) { return c == '\r' || c == '\n'; }

/// The end of each `word` that a line break follows.
std::vector<std::size_t> find_ends(std::string_view body, std::string_view word) {
  std::vector<std::size_t> found;
  for (std::size_t at = body.find(word); at != kNone && found.size() < kMarksMax;
       at = body.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end < body.size() && is_break(body[end])) found.push_back(end);
  }
  return found;
}

/// Where the blanks before `at` begin.
std::size_t skip_back(std::string_view body, std::size_t at) {
  while (at > 0 && is_space(body[at - 1])) --at;
  return at;
}

std::size_t skip_digits_back(std::string_view body, std::size_t at) {
  while (at > 0 && ascii::is_digit(body[at - 1])) --at;
  return at;
}

/// Whether two numbers precede the "obj" at `at`, and a line break precedes them.
bool follows_numbers(std::string_view body, std::size_t at) {
  for (int i = 0; i < 2; ++i) {
    const std::size_t blanks = skip_back(body, at);
    const std::size_t digits = skip_digits_back(body, blanks);
    if (blanks == at || digits == blanks) return false;
    at = digits;
  }
  const std::size_t blanks = skip_back(body, at);
  const std::string_view between = body.substr(blanks, at - blanks);
  return between.find_first_of("\r\n") != kNone || (blanks > 0 && body[blanks - 1] == '\0');
}

/// The byte after each "1 0 obj".
std::vector<std::size_t> find_objects(std::string_view body) {
  std::vector<std::size_t> found;
  for (std::size_t at = body.find("obj"); at != kNone && found.size() < kMarksMax;
       at = body.find("obj", at + 1)) {
    const std::size_t end = at + 3;
    if (end == body.size() || (!is_space(body[end]) && body[end] != '<')) continue;
    if (follows_numbers(body, at)) found.push_back(end);
  }
  return found;
}

/// The line break after each ">> stream".
std::vector<std::size_t> find_streams(std::string_view body) {
  constexpr std::string_view kMark = "stream";
  std::vector<std::size_t> found;
  for (std::size_t at = body.find(kMark); at != kNone && found.size() < kMarksMax;
       at = body.find(kMark, at + 1)) {
    const std::size_t end = at + kMark.size();
    if (end == body.size() || !is_break(body[end])) continue;
    const std::size_t before = skip_back(body, at);
    if (before > 0 && body[before - 1] == '>') found.push_back(end);
  }
  return found;
}

double to_number(std::string_view digits) {
  double number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// The first "1 0 obj" in `text`.
std::optional<std::pair<double, double>> read_numbers(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at;
    std::string_view numbers[2];
    bool matched = true;
    for (std::string_view& number : numbers) {
      const std::size_t begin = end;
      while (end < text.size() && ascii::is_digit(text[end])) ++end;
      number = text.substr(begin, end - begin);
      const std::size_t blanks = end;
      while (end < text.size() && is_space(text[end])) ++end;
      matched = matched && !number.empty() && end > blanks;
    }
    if (matched && text.substr(end, 3) == "obj") {
      return std::pair(to_number(numbers[0]), to_number(numbers[1]));
    }
  }
  return std::nullopt;
}

/// Whether the last trailer says that streams are encrypted.
bool has_encrypting_trailer(std::string_view body) {
  std::size_t at = body.rfind("\ntrailer");
  std::size_t end = kNone;
  for (; at != kNone && end == kNone; at = at == 0 ? kNone : body.rfind("\ntrailer", at - 1)) {
    const std::size_t after = at + "\ntrailer"sv.size();
    if (body.substr(after, 1) == "\n") end = after + 1;
    if (body.substr(after, 2) == "\r\n") end = after + 2;
  }
  if (end == kNone || end > kTrailerAtMax) return false;
  std::size_t line = end;
  for (std::size_t i = 0; i < kTrailerLinesMax && line < body.size(); ++i) {
    line = std::min(body.find('\n', line), body.size() - 1) + 1;
  }
  return body.substr(end, line - end).find("/Encrypt ") != kNone;
}

struct NamedKey {
  std::string_view name;
  PdfKey key;
};
constexpr NamedKey kKeys[] = {
    {"Contents", PdfKey::kContents},
    {"DecodeParms", PdfKey::kDecodeParms},
    {"Encrypt", PdfKey::kEncrypt},
    {"Filter", PdfKey::kFilter},
    {"First", PdfKey::kFirst},
    {"JS", PdfKey::kJs},
    {"Length", PdfKey::kLength},
    {"N", PdfKey::kN},
    {"OpenAction", PdfKey::kOpenAction},
    {"S", PdfKey::kS},
    {"Type", PdfKey::kType},
};

bool is_type(const PdfObject& object, std::string_view type) {
  const PdfValue* said = object.entry(PdfKey::kType);
  return said != nullptr && said->is_text() && pdf_text(*said) == type;
}

/// The entries that we look at; of repeated keys the last.
std::vector<std::pair<PdfKey, PdfValue>> read_entries(std::string_view inside) {
  std::vector<std::pair<PdfKey, PdfValue>> entries;
  while (const auto entry = take_pdf_entry(inside)) {
    for (const NamedKey& known : kKeys) {
      if (entry->key != known.name) continue;
      std::erase_if(entries, [&known](const auto& other) { return other.first == known.key; });
      entries.emplace_back(known.key, entry->value);
    }
  }
  return entries;
}

bool has_predictor(const PdfValue& parameters) {
  std::string_view inside = parameters.text;
  if (parameters.kind != PdfValue::Kind::kDictionary) return false;
  while (const auto entry = take_pdf_entry(inside)) {
    if (entry->key == "Predictor") return true;
  }
  return false;
}

}  // namespace

const PdfValue* PdfObject::entry(PdfKey key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const auto& entry) { return entry.first == key; });
  return found == entries.end() ? nullptr : &found->second;
}

PdfObjects::PdfObjects(std::string_view body, WorkMeter& meter) : body_(body), meter_(meter) {
  if (!meter_.spend(body.size(), kStepsAMarkedByte)) return;
  encrypted_ = has_encrypting_trailer(body);
  collect();
  attach_streams();
  for (PdfObject& object : objects_) {
    read(object);
    if (is_type(object, "XRef") && object.entry(PdfKey::kEncrypt) != nullptr) encrypted_ = true;
  }
  read_object_streams();
}

/// Pairs each beginning with the next end that is far enough away.
void PdfObjects::collect() {
  constexpr std::size_t kBetweenMin = 6;
  const std::vector<std::size_t> begins = find_objects(body_);
  const std::vector<std::size_t> ends = find_ends(body_, "endobj");
  std::size_t b = 0;
  std::size_t e = 0;
  while (b < begins.size() && e < ends.size()) {
    const std::size_t begin = begins[b];
    const std::size_t end = ends[e];
    if (begin > end) {
      ++e;
      continue;
    }
    if (begin + kBetweenMin < end) {
      std::size_t numbers = begin > kNumbersBytesMax ? begin - kNumbersBytesMax : 0;
      if (e > 0 && ends[e - 1] >= numbers && ends[e - 1] < begin) numbers = ends[e - 1] + 1;
      const auto found = read_numbers(body_.substr(numbers, begin + 1 - numbers));
      if (!found || !meter_.spend(kStepsAnObject)) return;  // the rest is ignored
      PdfObject object;
      object.number = found->first;
      object.generation = found->second;
      object.begin = begin;
      object.data = body_.substr(begin, end - begin - kBetweenMin);
      objects_.push_back(std::move(object));
      by_number_[*found] = &objects_.back();
    }
    ++b;
    ++e;
  }
}

void PdfObjects::attach_streams() {
  constexpr std::size_t kEndMark = 10;  // "endstream" and the byte in front of it
  const std::vector<std::size_t> begins = find_streams(body_);
  const std::vector<std::size_t> ends = find_ends(body_, "endstream");
  std::size_t b = 0;
  std::size_t e = 0;
  for (PdfObject& object : objects_) {
    const std::size_t object_end = object.begin + object.data.size();
    while (b < begins.size() && e < ends.size()) {
      std::size_t begin = begins[b];
      std::size_t end = ends[e] - kEndMark;
      if (begin > object.begin && end < object_end && end > begin) {
        // Of several ends the last one counts, with its mark.
        while (e + 1 < ends.size() && ends[e + 1] < object_end) end = ends[++e];
        while (begin < end && is_break(body_[begin])) ++begin;
        object.stream = body_.substr(begin, end - begin);
        ++b;
        ++e;
        break;
      }
      if (begin < object.begin) {
        ++b;
      } else if (end > object_end) {
        break;
      } else {
        ++b;
        ++e;
      }
    }
  }
}

void PdfObjects::read(PdfObject& object) {
  std::string_view data = object.data;
  if (object.stream) {
    data = data.substr(0, static_cast<std::size_t>(object.stream->data() - data.data()));
  }
  if (data.size() >= kReadBytesMax || !meter_.spend(data.size(), kStepsAReadByte)) return;
  const std::vector<PdfValue> values = read_pdf_values(data, kNone);
  const auto is_comment = [](const PdfValue& value) {
    return value.kind == PdfValue::Kind::kComment;
  };
  if (std::any_of(values.begin(), values.end(),
                  [](const PdfValue& value) { return value.unreadable; })) {
    return;
  }
  object.readable = true;
  const auto first = std::find_if_not(values.begin(), values.end(), is_comment);
  if (first != values.end() && first->kind == PdfValue::Kind::kDictionary) {
    object.entries = read_entries(first->text);
  } else if (!object.stream && first != values.end() && first->kind != PdfValue::Kind::kArray &&
             first->kind != PdfValue::Kind::kReference) {
    object.plain = *first;
  }
  if (!object.stream) by_number_[{object.number, object.generation}] = &object;
}

void PdfObjects::read_object_streams() {
  // Objects found here have no streams of their own.
  const std::size_t count = objects_.size();
  for (std::size_t i = 0; i < count && !given_up_; ++i) {
    if (objects_[i].stream && is_type(objects_[i], "ObjStm")) take_object_stream(objects_[i]);
  }
}

void PdfObjects::take_object_stream(const PdfObject& stream) {
  const std::optional<double> first = number_of(stream.entry(PdfKey::kFirst));
  if (!first || !number_of(stream.entry(PdfKey::kN))) return;
  std::optional<std::string> bytes = stream_of(stream);
  if (!bytes || unpacked_bytes_ + bytes->size() > kPdfUnpackedBytesMax) return;
  unpacked_bytes_ += bytes->size();
  const std::string_view unpacked = unpacked_.emplace_back(std::move(*bytes));
  if (!meter_.spend(unpacked.size(), kStepsAReadByte)) return;
  const std::vector<PdfIndexEntry> index = read_pdf_index(unpacked, kPdfObjectsMax);
  const auto size = static_cast<double>(unpacked.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const double begin = index[i].offset + *first;
    const double end = i + 1 < index.size() ? index[i + 1].offset + *first : size;
    if (begin < 0 || begin >= size || end <= begin || end > size) continue;
    if (objects_.size() >= kPdfObjectsMax || !meter_.spend(kStepsAnObject)) return;
    PdfObject object;
    object.number = index[i].number;
    object.data = unpacked.substr(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(end) - static_cast<std::size_t>(begin));
    objects_.push_back(std::move(object));
    read(objects_.back());
    if (!objects_.back().readable) objects_.pop_back();
  }
}

PdfTarget PdfObjects::resolve(const PdfValue& value) {
  if (value.kind != PdfValue::Kind::kReference) return {nullptr, value};
  const auto found = by_number_.find({value.number, value.generation});
  if (found == by_number_.end()) return {};
  if (found->second->plain) return {nullptr, found->second->plain};
  return {found->second, std::nullopt};
}

std::optional<double> PdfObjects::number_of(const PdfValue* value) {
  if (value == nullptr) return std::nullopt;
  const PdfTarget target = resolve(*value);
  if (!target.value) return std::nullopt;
  if (target.value->kind == PdfValue::Kind::kNumber) return target.value->number;
  if (!target.value->is_text()) return std::nullopt;
  const std::string text = pdf_text(*target.value).value_or("");
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// nullopt if rspamd cannot undo the packing of the stream.
std::optional<std::vector<std::string>> PdfObjects::filters_of(const PdfObject& object) {
  std::vector<std::string> filters;
  const PdfValue* filter = object.entry(PdfKey::kFilter);
  if (filter == nullptr) return filters;
  if (const PdfValue* parameters = object.entry(PdfKey::kDecodeParms)) {
    if (has_predictor(*parameters)) return std::nullopt;
  }
  if (filter->is_text()) {
    filters.push_back(pdf_text(*filter).value_or(""));
  } else if (filter->kind == PdfValue::Kind::kArray) {
    for (const PdfValue& value : read_pdf_values(filter->text, kFiltersMax)) {
      if (value.kind == PdfValue::Kind::kComment) continue;
      filters.push_back(value.is_text() ? pdf_text(value).value_or("") : "");
    }
  } else if (filter->kind != PdfValue::Kind::kDictionary) {
    return std::nullopt;
  }
  const bool known = std::all_of(filters.begin(), filters.end(),
                                 [](const std::string& name) { return name == "FlateDecode"; });
  return known ? std::optional(std::move(filters)) : std::nullopt;
}

std::optional<std::string> PdfObjects::stream_of(const PdfObject& object) {
  if (encrypted_) return std::nullopt;
  if (!object.readable) {
    given_up_ = true;
    return std::nullopt;
  }
  const PdfValue* said = object.entry(PdfKey::kLength);
  const double length = number_of(said).value_or(0);
  if (said == nullptr || !object.stream || length < 0) return std::nullopt;
  const auto filters = filters_of(object);
  if (!filters) return std::nullopt;
  std::string_view bytes = *object.stream;
  if (length < static_cast<double>(bytes.size())) {
    bytes = bytes.substr(0, static_cast<std::size_t>(length));
  }
  if (!meter_.spend(bytes.size())) return std::nullopt;
  std::optional<std::string> unpacked;
  for (std::size_t i = 0; i < filters->size(); ++i) {
    unpacked = inflate_bytes(unpacked ? std::string_view(*unpacked) : bytes, kUnpackedMax, meter_);
    if (!unpacked) return std::nullopt;
  }
  return unpacked ? std::move(unpacked) : std::optional(std::string(bytes));
}

}  // namespace shingled::mime
