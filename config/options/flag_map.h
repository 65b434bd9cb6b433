#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shingled {

/// One list of hashes: a number on the wire, a name for people, a symbol in verdicts.
struct FlagOptions {
  std::string name;        ///< "denied"
  std::uint32_t flag = 0;  ///< 1..255
  std::string symbol;      ///< "FUZZY_DENIED"
  /// The stored value at which the score saturates, 1 or more (old name: max_score).
  double hits_limit = 20.0;
  double weight = 0.0;  ///< score of the symbol at saturation; negative for good mail

  friend bool operator==(const FlagOptions&, const FlagOptions&) = default;
};

/// The flags of a rule, by number and by name.
class FlagMap {
 public:
  FlagMap() = default;
  explicit FlagMap(std::vector<FlagOptions> flags) : flags_(std::move(flags)) {}
  /// denied = 11, prob = 12, white = 13, as in the shipped configuration of rspamd.
  static FlagMap standard();

  [[nodiscard]] const FlagOptions* find(std::uint32_t flag) const;
  [[nodiscard]] const FlagOptions* find(std::string_view name_or_symbol) const;
  /// The number for "11", "denied" or "FUZZY_DENIED" (upper and lower case are the same).
  [[nodiscard]] std::optional<std::uint32_t> number(std::string_view text) const;
  [[nodiscard]] const std::vector<FlagOptions>& all() const { return flags_; }

  friend bool operator==(const FlagMap&, const FlagMap&) = default;

 private:
  std::vector<FlagOptions> flags_;
};

}  // namespace shingled
