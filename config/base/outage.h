#pragma once

#include <utility>

namespace shingled {

/// Something that fails for a while, for a caller that says so once when it begins and once when it
/// is over. A value.
class Outage {
 public:
  /// It fails. True: it did not fail before.
  bool begin() { return !std::exchange(lasts_, true); }
  /// It works. True: it failed before.
  bool end() { return std::exchange(lasts_, false); }
  [[nodiscard]] bool lasts() const { return lasts_; }

 private:
  bool lasts_ = false;
};

}  // namespace shingled
