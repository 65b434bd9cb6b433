#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/document/field.h"
#include "config/system/socket_address.h"

namespace shingled::config {

/// Bounds of a value, both included.
template <typename T>
struct Range {
  T least;
  T most;
};

/// One name that a choice may have.
template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

/// A map of the text, read key by key. A missing key leaves its setting as it is; an invalid value
/// is a problem and leaves it, too. The destructor reports duplicate keys and keys that were never
/// asked for ("unknown key; did you mean ...?").
/// Threads: one thread.
class Section {
 public:
  /// `node` is null if the section is missing.
  Section(const YamlNode* node, std::string path, Diagnostics& diagnostics);
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  Section(Section&&) = delete;
  Section& operator=(Section&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Diagnostics& diagnostics() const { return *diagnostics_; }
  /// The section one level down.
  [[nodiscard]] Section section(std::string_view key);
  /// All values of a map whose keys are names chosen by the user; of duplicates only the first.
  [[nodiscard]] std::vector<Field> entries();
  /// The value of `key` or of one of its other names; nullopt if it is missing.
  std::optional<Field> field(std::string_view key,
                             std::initializer_list<std::string_view> other_names = {});

  /// Whether the text has this key. Does not make it known.
  [[nodiscard]] bool has(std::string_view key) const;
  /// Whether the text gives the key a value, right or wrong, other than null and [].
  [[nodiscard]] bool gives(std::string_view key) const;
  /// A key that was an option once: a warning that it is always `value`, if the text says another
  /// one. Makes it known.
  void retired_key(std::string_view key, std::string_view value);
  /// A key that has no effect here any more: a warning that `other` has it. Makes it known.
  void moved_key(std::string_view key, std::string_view other);
  /// A key of other programs that we do not have: a problem that says why.
  void refuse_key(std::string_view key, std::string_view why);
  /// From now on problems show neither the names of unknown keys, which may be secrets without
  /// their colon, nor values that are as long as a secret.
  void hide_secrets() { quoting_ = Quoting::kWords; }

  /// A problem at the value of a key, or at the section if the key is missing.
  void problem(std::string_view key, std::string_view what) const;
  /// The same for a value that is allowed but probably not meant.
  void warning(std::string_view key, std::string_view what) const;

  void boolean(std::string_view key, bool& out);
  void text(std::string_view key, std::string& out);
  /// An absolute path, or empty.
  void path_or_empty(std::string_view key, std::string& out);
  /// An absolute path; `allowed` says of what.
  static void absolute_path(const std::optional<Field>& found, std::string_view allowed,
                            std::string& out);
  void real(std::string_view key, double& out, Range<double> range);
  void size(std::string_view key, std::uint64_t& out, Range<std::uint64_t> range);
  void sockets(std::string_view key, std::vector<SocketSpec>& out, std::uint16_t default_port);
  void networks(std::string_view key, std::vector<Network>& out);

  /// A whole number.
  template <typename T>
  void number(std::string_view key, T& out, Range<T> range) {
    const auto value = whole(key, {range.least, range.most});
    if (value) out = static_cast<T>(*value);
  }

  /// A duration; bounds in the unit of the setting. `zero` says what 0 means if it is allowed
  /// besides the range.
  template <typename D>
  void duration(std::string_view key, D& out, Range<D> range, std::string_view zero = {}) {
    using std::chrono::milliseconds;
    const auto value = milliseconds_of(key, {milliseconds(range.least), milliseconds(range.most)},
                                       milliseconds(D(1)), zero);
    if (value) out = std::chrono::duration_cast<D>(*value);
  }

  /// One of some names; upper and lower case are the same.
  template <typename T>
  void choice(std::string_view key, T& out, std::span<const Choice<T>> choices) {
    std::vector<std::string_view> names;
    for (const Choice<T>& entry : choices) names.push_back(entry.name);
    if (const auto index = index_of_choice(key, names)) out = choices[*index].value;
  }

 private:
  std::optional<std::uint64_t> whole(std::string_view key, Range<std::uint64_t> range);
  std::optional<std::chrono::milliseconds> milliseconds_of(std::string_view key,
                                                           Range<std::chrono::milliseconds> range,
                                                           std::chrono::milliseconds step,
                                                           std::string_view zero);
  std::optional<std::size_t> index_of_choice(std::string_view key,
                                             std::span<const std::string_view> names);
  [[nodiscard]] std::string path_to(std::string_view key) const;
  [[nodiscard]] Position place_of(std::string_view key) const;
  void report_strangers() const;

  const YamlNode* node_;  ///< a map, or null
  std::string path_;
  Diagnostics* diagnostics_;
  bool any_key_ = false;  ///< the keys are names, so none is unknown
  Quoting quoting_ = Quoting::kText;
  std::vector<std::string> known_;
  std::vector<std::string> other_names_;
};

using ascii::equal_ignoring_case;

}  // namespace shingled::config
