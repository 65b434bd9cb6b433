#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "milter/api/counters/counter_fields.h"
#include "milter/api/counters/counter_request.h"
#include "milter/api/counters/requested_piece.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter.h"

namespace shingled::milter::api {

/// Takes what the JSON parser finds in a request, and refuses what does not belong there. The
/// places know each other, so nothing is deeper than six of them.
/// Threads: one thread.
class CounterReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  CounterReader(const CounterForm& form, const CounterKeyBytes& site) : form_(form), site_(site) {}

  [[nodiscard]] const std::string& error() const { return error_; }
  CounterRequest take() { return std::move(out_); }

  bool null() override { return begin_value() && wrong_value(); }
  bool number_integer(number_integer_t) override { return begin_value() && wrong_value(); }
  bool number_float(number_float_t, const string_t&) override {
    return begin_value() && wrong_value();
  }
  bool binary(binary_t&) override { return begin_value() && wrong_value(); }
  bool boolean(bool value) override {
    if (!begin_value() || !is_at(Place::kRequest, CounterField::kRising)) return wrong_value();
    out_.rising = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override;
  bool string(string_t& text) override;
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflows = 406;  // 1e400 is JSON, but no number of the library's
    if (error.id == kNumberOverflows) return number_float(0, {});
    return error_.empty() ? fail_at("byte " + std::to_string(position), "is not JSON") : false;
  }

 private:
  /// Whose members or elements are being read.
  enum class Place : std::uint8_t {
    kRequest,
    kPieces,
    kPiece,
    kTexts,  ///< the two texts of a pair
    kWindows,
    kAdd,
    kAdditions,
    kPast,  ///< an addition
    kRecipients,
  };

  struct Frame {
    Place place{};
    std::size_t count = 0;    ///< elements that have begun
    CounterFields seen = {};  ///< members that have begun; of kAdd, measures
    CounterField field{};     ///< the present member
    std::size_t measure = 0;  ///< the present member of kAdd

    [[nodiscard]] bool is_list() const {
      return place == Place::kPieces || place == Place::kTexts || place == Place::kWindows ||
             place == Place::kAdditions || place == Place::kRecipients;
    }
  };

  [[nodiscard]] Frame& top() { return frames_.back(); }
  [[nodiscard]] bool is_at(Place place, CounterField field) const {
    return !frames_.empty() && frames_.back().place == place && frames_.back().field == field;
  }
  [[nodiscard]] bool is_in(Place place) const {
    return !frames_.empty() && frames_.back().place == place;
  }
  /// Counts the elements of lists.
  bool begin_value() {
    if (!frames_.empty() && top().is_list()) ++top().count;
    return true;
  }
  bool push(Place place) {
    frames_.push_back({.place = place});
    return true;
  }
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string add_path();
  [[nodiscard]] CounterFields allowed_in(Place place) const;
  bool fail_at(std::string_view where, std::string_view what) {
    error_ = where.empty() ? std::string(what) : std::string(where) + ": " + std::string(what);
    return false;
  }
  bool fail(std::string_view what) { return fail_at(path(), what); }
  bool wrong_value();
  bool check_needed(const CounterFields& needed);

  bool take_type(const PieceTypeRow* row, std::string_view given);
  bool take_space(std::string_view text);
  bool take_window(const std::string& text, storage::counters::Window& out);
  bool take_shingle(std::string_view text, std::optional<std::uint64_t>& out);
  bool take_piece_text(const std::string& text);
  bool take_recipient(const std::string& text);
  bool end_piece();
  bool end_past();

  const CounterForm& form_;
  const CounterKeyBytes& site_;
  CounterRequest out_;
  std::string error_;
  std::vector<Frame> frames_;

  WrittenPiece piece_;   ///< the present one
  CounterRequest past_;  ///< the present addition
  std::uint64_t time_ = 0;

  /// What the present pieces and amounts belong to.
  [[nodiscard]] CounterRequest& target() {
    const bool is_past = std::ranges::any_of(
        frames_, [](const Frame& frame) { return frame.place == Place::kPast; });
    return is_past ? past_ : out_;
  }
};

}  // namespace shingled::milter::api
