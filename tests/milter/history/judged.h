#pragma once

#include <string>
#include <vector>

#include "milter/history/message_record.h"

namespace shingled::milter::history::testing {

inline constexpr CounterKeyBytes kSite{0x17};

/// A message with a verdict, to be changed by tests.
struct Judged {
  std::string queue_id = "4Xyz";
  std::string sender = "<a@example.org>";
  std::string message_id = "<1@example.org>";
  rules::Facts facts;
  rules::Verdict verdict;
  bool unseen = false;
  HistoryNames names = HistoryNames::kOff;
  std::vector<std::string> recipients = {};
  std::string subject = {};
  Bytes kept = {};

  [[nodiscard]] JudgedMessage message() const {
    return {.queue_id = queue_id,
            .sender = sender,
            .message_id = message_id,
            .facts = facts,
            .verdict = verdict,
            .unseen = unseen,
            .names = names,
            .recipients = recipients,
            .subject = subject,
            .kept = kept};
  }
};

}  // namespace shingled::milter::history::testing
