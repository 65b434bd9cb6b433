#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace shingled::milter::features {

/// A named value of a message. The numbers are places in arrays, not stored anywhere.
enum class Feature : std::uint8_t {
  kBytes,
  kParts,
  kRecipients,
  kLinks,
  kAttachments,
  kImages,
  kWords,
  kLanguage,
  kHtml,
  kLocal,
  kAuthenticated,
  kBounce,
  kDefects,
  kSpf,
  kDkim,
  kDmarc,
  kHour,
};
inline constexpr std::size_t kFeatures = 17;

/// What is known of a feature. Rules, commands and the history take names from here.
struct FeatureRow {
  enum class Type : std::uint8_t { kNumber, kYesNo, kWord };

  Feature feature{};
  std::string_view name;  ///< in conditions: `bytes`
  Type type = Type::kNumber;
  std::string_view unit;                         ///< of a number: "bytes"; else empty
  std::string_view help;                         ///< one line, without a full stop
  std::string_view source;                       ///< where the value comes from
  std::span<const std::string_view> words = {};  ///< of a word: all it can be; empty = any
  std::optional<std::uint64_t> most = {};        ///< of a number: the greatest that there is
};

/// All features of a message itself, in the order of the enumerators. Those of its counters are in
/// counter_feature.h.
/// Threads: constant.
std::span<const FeatureRow> features();
const FeatureRow& row_of(Feature feature);
/// nullptr if there is no feature of that name.
const FeatureRow* find_feature(std::string_view name);
std::string_view to_string(FeatureRow::Type type);  ///< "number" "yes/no" "word"

/// The features of one message. What was not set is unknown.
/// Threads: a value.
class FeatureValues {
 public:
  void set_number(Feature feature, std::uint64_t number) { at(feature) = {true, number, {}}; }
  void set_yes(Feature feature, bool yes) { at(feature) = {true, yes ? 1U : 0U, {}}; }
  void set_word(Feature feature, std::string word) { at(feature) = {true, 0, std::move(word)}; }

  [[nodiscard]] bool is_known(Feature feature) const { return at(feature).known; }
  /// Of a number, or 1 for yes and 0 for no; 0 if unknown.
  [[nodiscard]] std::uint64_t number(Feature feature) const { return at(feature).number; }
  /// Empty if unknown.
  [[nodiscard]] const std::string& word(Feature feature) const { return at(feature).word; }
  friend bool operator==(const FeatureValues&, const FeatureValues&) = default;

 private:
  struct Value {
    bool known = false;
    std::uint64_t number = 0;
    std::string word;
    friend bool operator==(const Value&, const Value&) = default;
  };
  [[nodiscard]] Value& at(Feature feature) { return values_[static_cast<std::size_t>(feature)]; }
  [[nodiscard]] const Value& at(Feature feature) const {
    return values_[static_cast<std::size_t>(feature)];
  }

  std::array<Value, kFeatures> values_;
};

/// The value as people read it: "1200", "yes", "fail"; "unknown".
std::string to_string(const FeatureValues& values, Feature feature);

}  // namespace shingled::milter::features
