#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::actions {

/// One change to the header, in the order to apply them.
struct HeaderEdit {
  enum class Kind : std::uint8_t { kRemove, kAdd };
  Kind kind = Kind::kAdd;
  std::string name;
  std::uint32_t index = 0;  ///< kRemove: which one of that name, from 1
  std::string value;        ///< kAdd: folded with "\n\t", otherwise printable ASCII
  friend bool operator==(const HeaderEdit&, const HeaderEdit&) = default;
};

/// Counts the inbound headers that are to be removed (`HeaderOptions::remove`): whatever their
/// case, place or number, they are not ours and go. What other filters write stays.
/// Threads: one thread.
class ForgedHeaders {
 public:
  explicit ForgedHeaders(const HeaderOptions& names);
  /// Call for every inbound header, in order.
  void see(std::string_view name);
  /// The removals, for each name from its last copy to the first, so that no index moves before its
  /// turn.
  [[nodiscard]] std::vector<HeaderEdit> removals() const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> count_;  ///< by lower-case name
};

/// The headers that tell a message's verdict and its evidence. A message without evidence and
/// without failure gets none. Pure.
std::vector<HeaderEdit> verdict_headers(const rules::Verdict& verdict, const rules::Facts& facts,
                                        const HeaderOptions& names);

/// Makes any text fit for a header: printable ASCII only, cut, then folded at a space before
/// column 78 where there is one. Never a CR, LF or NUL but in the folds. Pure.
std::string header_value(std::string_view text, std::size_t name_bytes);

}  // namespace shingled::milter::actions
