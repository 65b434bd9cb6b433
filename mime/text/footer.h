#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// The end of a text in which a ruled line may begin a footer: its last 25 lines, with at least as
/// many folded letters above as below. Elsewhere senders rule off headings, and what they want to
/// hide from filters.
///
/// It depends neither on how lines end nor on characters that nobody sees: fold_letters() removes
/// them.
/// Threads: one.
/// Cost:    at the first question the last 25 lines are folded.
class Footer {
 public:
  explicit Footer(std::string_view content) : content_(content) {}

  /// Whether a ruled line may begin the footer.
  /// `offset`: where the line begins. `letters_above`: folded bytes of the lines before it.
  [[nodiscard]] bool may_begin_at(std::size_t offset, std::size_t letters_above);

 private:
  struct Line {
    std::size_t offset;
    std::size_t letters_below;  ///< its own ones, too
  };

  void read();

  std::string_view content_;
  std::vector<Line> lines_;  ///< the last one first
};

}  // namespace shingled::mime
