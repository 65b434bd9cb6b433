#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::actions {

/// One change to the header. A list of them is in the order in which to apply them.
struct HeaderEdit {
  enum class Kind : std::uint8_t { kRemove, kAdd };
  Kind kind = Kind::kAdd;
  std::string name;
  std::uint32_t index = 0;  ///< kRemove: counts the headers of this name, from 1
  std::string value;        ///< kAdd: folded with "\n\t", otherwise printable ASCII
  friend bool operator==(const HeaderEdit&, const HeaderEdit&) = default;
};

/// Counts the inbound headers to remove (`HeaderOptions::remove`). A header with one of these names
/// was not written by us, so it is removed: upper or lower case, its place and the number of copies
/// make no difference. Headers of other filters stay.
/// Threads: one thread.
class ForgedHeaders {
 public:
  explicit ForgedHeaders(const HeaderOptions& names);
  /// Call for every inbound header, in order.
  void see(std::string_view name);
  /// The removals; for each name from the last copy to the first, so that a removal does not shift
  /// the index of a later one.
  [[nodiscard]] std::vector<HeaderEdit> removals() const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> count_;  ///< by lower-case name
};

/// The headers with the verdict and the evidence of a message. Empty if the message has neither
/// evidence nor a failure. Pure.
std::vector<HeaderEdit> verdict_headers(const rules::Verdict& verdict, const rules::Facts& facts,
                                        const HeaderOptions& names);

/// Makes a header value of any text. The result is printable ASCII, cut to 900 bytes, and folded at
/// a space before column 78 if there is a space. It has no CR and no NUL, and LF only in folds.
/// Pure.
std::string header_value(std::string_view text, std::size_t name_bytes);

/// The first `bytes_max` bytes of a text, with '?' in place of each byte that is not printable
/// ASCII. The result is safe in a header, a reply or a quarantine reason, even if a stranger wrote
/// the text. Pure.
std::string printable(std::string_view text, std::size_t bytes_max);

}  // namespace shingled::milter::actions
