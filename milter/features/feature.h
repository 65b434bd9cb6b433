#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Who or what a message names: a feature whose values are addresses, domains, hosts or texts. The
/// numbers are places in arrays, not stored anywhere.
enum class Name : std::uint8_t {
  kFrom,
  kFromDomain,
  kClaimedFrom,
  kClaimedFromDomain,
  kSender,
  kSenderDomain,
  kRecipient,
  kClient,
  kClientDomain,
  kHelo,
  kListId,
  kProvedListId,
  kDkimDomain,
  kUser,
  kSubject,
};
inline constexpr std::size_t kNames = 15;

/// What is known of a name. Rules, lists and commands take its word from here.
struct NameRow {
  enum class Form : std::uint8_t {
    kAddress,  ///< local@domain
    kDomain,   ///< a host or domain
    kNetwork,  ///< an IP address
    kText,     ///< any text
  };

  Name name{};
  std::string_view word;  ///< in conditions: `from_domain`
  Form form = Form::kText;
  bool several = false;  ///< a message may have several values
  std::string_view help;
  std::string_view source;
  std::string_view example;  ///< of a value
};

/// All names, in the order of the enumerators.
/// Threads: constant.
std::span<const NameRow> names();
const NameRow& row_of(Name name);
/// nullptr if there is no name of that word.
const NameRow* find_name(std::string_view word);
std::string_view to_string(NameRow::Form form);  ///< "address" "domain" "network" "text"

/// The names of one message. A name that was not set is unknown; one that was set without a value
/// is known to be absent.
/// Threads: a value.
class MessageNames {
 public:
  /// `complete`: no value was left out. Values are in their normal form
  /// (milter/names/name_entry.h).
  void set(Name name, std::vector<std::string> values, bool complete = true) {
    at(name) = {true, complete, std::move(values)};
  }
  /// One value, or none if it is empty.
  void set_one(Name name, std::string value) {
    std::vector<std::string> values;
    if (!value.empty()) values.push_back(std::move(value));
    set(name, std::move(values));
  }

  [[nodiscard]] bool is_known(Name name) const { return at(name).known; }
  /// False if it has more values than were kept, or is unknown.
  [[nodiscard]] bool is_complete(Name name) const { return at(name).known && at(name).complete; }
  /// Empty if unknown.
  [[nodiscard]] std::span<const std::string> values(Name name) const { return at(name).values; }
  friend bool operator==(const MessageNames&, const MessageNames&) = default;

 private:
  struct Value {
    bool known = false;
    bool complete = true;
    std::vector<std::string> values;
    friend bool operator==(const Value&, const Value&) = default;
  };
  [[nodiscard]] Value& at(Name name) { return values_[static_cast<std::size_t>(name)]; }
  [[nodiscard]] const Value& at(Name name) const { return values_[static_cast<std::size_t>(name)]; }

  std::array<Value, kNames> values_;
};

/// The values as people read them: "a@example.org, b@example.org", "none", "unknown".
std::string to_string(const MessageNames& names, Name name);

}  // namespace shingled::milter::features
