#include "milter/api/counters/counter_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "config/base/clock.h"
#include "storage/counters/counter.h"

namespace shingled::milter::api {

namespace {

using storage::counters::Direction;
using storage::counters::kAdditionKeysMax;
using storage::counters::kCountMax;
using storage::counters::Measure;
using storage::counters::Window;

using Field = CounterField;
constexpr CounterFields kPieceFields = {Field::kType, Field::kPiece, Field::kShingle,
                                        Field::kUnique};
constexpr CounterFields kPastFields = {Field::kTime, Field::kSpace, Field::kPieces, Field::kAdd};
constexpr CounterFields kPastNeeded = {Field::kTime, Field::kPieces, Field::kAdd};
/// The end of the year 9999.
constexpr std::uint64_t kTimeMax = 253'402'300'799;

}  // namespace

std::string CounterReader::path() const {
  std::string out;
  for (const Frame& frame : frames_) {
    if (frame.is_list()) {
      if (frame.count > 0) out += fmt::format("[{}]", frame.count - 1);
      continue;
    }
    if (frame.seen.bits == 0) continue;
    if (!out.empty()) out += '.';
    out += frame.place == Place::kAdd ? to_string(static_cast<Measure>(frame.measure))
                                      : to_string(frame.field);
  }
  return out;
}

/// Of the present object `add` as a whole.
std::string CounterReader::add_path() {
  top().seen = {};
  return path();
}

CounterFields CounterReader::allowed_in(Place place) const {
  if (place == Place::kPiece) return kPieceFields;
  return place == Place::kPast ? kPastFields : form_.allowed;
}

bool CounterReader::wrong_value() {
  if (frames_.empty()) return fail("must be an object");
  switch (top().place) {
    case Place::kPieces:
      return fail("must be an object: {\"type\", \"piece\"}");
    case Place::kAdditions:
      return fail("must be an object: {\"time\", \"space\", \"pieces\", \"add\"}");
    case Place::kTexts:
    case Place::kRecipients:
      return fail("must be a text");
    case Place::kWindows:
      return fail("must be a text such as \"1h\"");
    case Place::kAdd:
      return fail(fmt::format("must be a whole number from 0 to {}", kCountMax));
    default:
      break;
  }
  return fail(must_be(top().field));
}

bool CounterReader::number_unsigned(number_unsigned_t value) {
  begin_value();
  if (frames_.empty()) return wrong_value();
  if (is_in(Place::kAdd)) {
    if (value > kCountMax) return wrong_value();
    target().add.counts[top().measure] = value;
    return true;
  }
  if (top().is_list()) return wrong_value();
  switch (top().field) {
    case Field::kType:
      return take_type(find_piece_type(value), std::to_string(value));
    case Field::kMost:
      if (value < 1 || value > kRequestedMostMax) return wrong_value();
      out_.most = value;
      return true;
    case Field::kTime:
      if (value > kTimeMax) return wrong_value();
      time_ = value;
      return true;
    default:
      return wrong_value();
  }
}

bool CounterReader::string(string_t& text) {
  begin_value();
  if (frames_.empty() || is_in(Place::kAdd)) return wrong_value();
  if (is_in(Place::kTexts)) return take_piece_text(text);
  if (is_in(Place::kRecipients)) return take_recipient(text);
  if (is_in(Place::kWindows)) {
    if (out_.windows.size() == kRequestedWindowsMax)
      return fail(fmt::format("at most {} windows", kRequestedWindowsMax));
    return take_window(text, out_.windows.emplace_back());
  }
  if (top().is_list()) return wrong_value();
  switch (top().field) {
    case Field::kType:
      return take_type(find_piece_type(text), text);
    case Field::kSpace:
      return take_space(text);
    case Field::kPiece:
      return take_piece_text(text);
    case Field::kShingle:
      return take_shingle(text, piece_.shingle);
    case Field::kUnique:
      return take_shingle(text, piece_.unique);
    case Field::kMeasure: {
      const auto measure = storage::counters::parse_measure(text);
      if (!measure) return fail(unknown_measure(text));
      out_.measure = *measure;
      return true;
    }
    case Field::kWindow:
      return take_window(text, out_.window);
    default:
      return wrong_value();
  }
}

bool CounterReader::take_type(const PieceTypeRow* row, std::string_view given) {
  if (row == nullptr) return fail(unknown_type(given));
  if (is_in(Place::kPiece))
    piece_.type = row;
  else
    out_.type = row->type;
  return true;
}

bool CounterReader::take_space(std::string_view text) {
  for (const Direction direction : {Direction::kIn, Direction::kOut}) {
    if (text != to_string(direction)) continue;
    target().direction = direction;
    return true;
  }
  return fail("must be \"in\" or \"out\"");
}

bool CounterReader::take_window(const std::string& text, Window& out) {
  const auto window = form_.long_windows ? storage::counters::parse_said_window(text)
                                         : storage::counters::parse_window(text);
  if (!window)
    return fail(fmt::format(
        "must be a multiple of 10m up to 24h, or 1d to {}d",
        form_.long_windows ? storage::counters::kSaidDaysMax : storage::counters::kWindowDaysMax));
  out = *window;
  return true;
}

bool CounterReader::take_shingle(std::string_view text, std::optional<std::uint64_t>& out) {
  constexpr std::size_t kDigits = 16;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number, 16);
  if (text.size() != kDigits || failure != std::errc{} || stop != end || text[0] == '-')
    return fail("must be 16 hexadecimal digits");
  out = number;
  return true;
}

bool CounterReader::take_piece_text(const std::string& text) {
  if (text.size() > kRequestedPieceBytesMax)
    return fail(fmt::format("at most {} bytes", kRequestedPieceBytesMax));
  if (text.empty()) return fail("must not be empty");
  if (piece_.texts.size() == 2) return fail("must be a list of two texts");
  piece_.texts.push_back(text);
  return true;
}

bool CounterReader::take_recipient(const std::string& text) {
  if (text.size() > kRequestedPieceBytesMax)
    return fail(fmt::format("at most {} bytes", kRequestedPieceBytesMax));
  if (text.empty()) return fail("must not be empty");
  if (out_.recipients.size() == kRequestedRecipientsMax)
    return fail(fmt::format("at most {} recipients", kRequestedRecipientsMax));
  out_.recipients.push_back(text);
  return true;
}

bool CounterReader::start_array(std::size_t) {
  begin_value();
  if (frames_.empty() || top().is_list() || is_in(Place::kAdd)) return wrong_value();
  switch (top().field) {
    case Field::kPieces:
      return push(Place::kPieces);
    case Field::kWindows:
      return push(Place::kWindows);
    case Field::kAdditions:
      return push(Place::kAdditions);
    case Field::kRecipients:
      return push(Place::kRecipients);
    case Field::kPiece:
      piece_.is_list = true;
      return push(Place::kTexts);
    default:
      return wrong_value();
  }
}

bool CounterReader::end_array() {
  frames_.pop_back();
  return true;
}

bool CounterReader::start_object(std::size_t) {
  begin_value();
  if (frames_.empty()) return push(Place::kRequest);
  if (is_in(Place::kPieces)) {
    if (top().count > kAdditionKeysMax)
      return fail_at("pieces", fmt::format("at most {} pieces in one request", kAdditionKeysMax));
    piece_ = {};
    return push(Place::kPiece);
  }
  if (is_in(Place::kAdditions)) {
    past_ = {};
    return push(Place::kPast);
  }
  if (!top().is_list() && !is_in(Place::kAdd) && top().field == Field::kAdd)
    return push(Place::kAdd);
  return wrong_value();
}

bool CounterReader::key(string_t& name) {
  Frame& frame = top();
  if (frame.place == Place::kAdd) {
    const auto measure = storage::counters::parse_measure(name);
    if (!measure) return fail_at(add_path(), unknown_measure(name));
    frame.measure = static_cast<std::size_t>(*measure);
    const auto bit = 1U << frame.measure;
    const bool is_second = (frame.seen.bits & bit) != 0;
    frame.seen.bits |= bit;
    return is_second ? fail("comes twice") : true;
  }
  const CounterFields allowed = allowed_in(frame.place);
  const auto field = find_counter_field(name);
  if (!field || !allowed.has(*field)) {
    frame.seen = {};  // the path ends with the object
    return fail(unknown_word("member", name, names_of(allowed)));
  }
  frame.field = *field;
  const bool is_second = frame.seen.has(*field);
  frame.seen.insert(*field);
  return is_second ? fail("comes twice") : true;
}

bool CounterReader::end_object() {
  switch (top().place) {
    case Place::kRequest:
      if (!check_needed(form_.needed)) return false;
      break;
    case Place::kPiece:
      if (!end_piece()) return false;
      break;
    case Place::kPast:
      if (!check_needed(kPastNeeded) || !end_past()) return false;
      break;
    case Place::kAdd:
      if (target().add.is_zero()) return fail_at(add_path(), "must have a measure above 0");
      break;
    default:
      break;
  }
  frames_.pop_back();
  return true;
}

bool CounterReader::check_needed(const CounterFields& needed) {
  for (std::size_t i = 0; i < kCounterFields; ++i) {
    const auto field = static_cast<Field>(i);
    if (needed.has(field) && !top().seen.has(field)) {
      top().seen.insert(field);
      top().field = field;
      return fail("is missing");
    }
  }
  return true;
}

bool CounterReader::end_piece() {
  auto piece = piece_.resolve(form_.adds, site_);
  if (!piece) {
    top().seen = {};
    return fail(piece.error().message);
  }
  target().pieces.push_back(*piece);
  return true;
}

bool CounterReader::end_past() {
  const WallTime time{std::chrono::seconds(static_cast<std::int64_t>(time_))};
  out_.additions.push_back({storage::counters::slot_of(time), past_.addition()});
  return true;
}

}  // namespace shingled::milter::api
