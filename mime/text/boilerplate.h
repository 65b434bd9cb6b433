#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// Whether a word is typical of notices: how to unsubscribe, how to view a mail in a browser, who
/// may read it, who has the rights. `folded`: see fold_letters().
/// Threads: any; a table is made at the first call.
bool is_boilerplate(std::string_view folded);

/// Whether a line that begins with this word is a greeting.
bool is_greeting(std::string_view folded);

/// Whether a word of four letters or more is common in the mail of companies: about accounts,
/// orders, bills, parcels, appointments, failed deliveries, or in any letter. Many senders write
/// texts that consist mostly of such words. `folded`: see fold_letters(). In common_words.cpp.
/// Threads: any; a table is made at the first call.
bool is_common(std::string_view folded);

/// Whether the rest of the text after this line is another message: "-----Original Message-----",
/// "Begin forwarded message:", "--- Below this line is a copy of the message." in the languages and
/// programs we know. The line is folded (fold_letters()) and trimmed.
/// Threads: any; a table is made at the first call.
bool begins_other_message(std::string_view folded);

/// Whether such a line names the author of a quotation: "On Monday at 9:30 A wrote:".
bool is_attribution(std::string_view folded);

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
