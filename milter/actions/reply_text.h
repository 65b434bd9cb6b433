#pragma once

#include <optional>
#include <string>

#include "milter/rules/verdict.h"

namespace shingled::milter::actions {

/// What the SMTP client is told: RFC 5321 code, RFC 3463 code, neutral text.
struct Reply {
  std::string code;
  std::string enhanced_code;
  std::string text;  ///< one line of printable ASCII
  friend bool operator==(const Reply&, const Reply&) = default;
};

/// 550 5.7.1 with `reject_text`, 451 4.7.1 with a fixed text; nothing for the other actions. A
/// message that could not be judged is refused as such, not as spam. Pure.
std::optional<Reply> reply_for(const rules::Verdict& verdict, const std::string& reject_text);

/// 451 4.3.1 for a message there is no memory for. Pure.
Reply reply_for_memory();

/// 451 4.7.1 for a recipient that is put off; says nothing of why. Pure.
Reply reply_for_limit();

}  // namespace shingled::milter::actions
