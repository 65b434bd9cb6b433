#include "milter/actions/apply.h"

#include <utility>

#include "milter/actions/header_edit.h"

namespace shingled::milter::actions {

namespace {

constexpr std::size_t kReplyBytesMax = 400;  // libmilter allows 980; a line of SMTP has 512
constexpr std::size_t kIdBytesMax = 128;

}  // namespace

std::optional<Reply> reply_for(const rules::Verdict& verdict, const std::string& reject_text,
                               std::string_view queue_id) {
  if (verdict.action == rules::Action::kReject) {
    const std::string text = verdict.failed ? "Message could not be checked" : reject_text;
    const std::string id = queue_id.empty() ? "" : " (id " + printable(queue_id, kIdBytesMax) + ")";
    return Reply{"550", "5.7.1", printable(text, kReplyBytesMax - id.size()) + id};
  }
  if (verdict.action == rules::Action::kTempfail) {
    return Reply{"451", "4.7.1", "Message could not be accepted now, please try again later"};
  }
  return std::nullopt;
}

Reply reply_for_memory() {
  return {"451", "4.3.1", "Message could not be checked now, please try again later"};
}

Reply reply_for_limit() {
  return {"451", "4.7.1",
          "Mail for this recipient could not be accepted now, please try again later"};
}

namespace {
constexpr std::size_t kQuarantineReasonBytesMax = 200;
}  // namespace

Decision decide(rules::Verdict verdict, const rules::Facts& facts, const ForgedHeaders& forged,
                const MilterOptions& options, std::string_view queue_id) {
  Decision decision;
  decision.reply = reply_for(verdict, options.reject_text, queue_id);
  if (!decision.reply && verdict.action != rules::Action::kDiscard) {
    decision.edits = forged.removals();
    std::vector<HeaderEdit> added = verdict_headers(verdict, facts, options.headers);
    decision.edits.insert(decision.edits.end(), std::make_move_iterator(added.begin()),
                          std::make_move_iterator(added.end()));
  }
  decision.verdict = std::move(verdict);
  return decision;
}

Status apply(const Decision& decision, Mta& mta) {
  Status first;
  const auto note = [&](const Status& status) {
    if (first && !status) first = status;
  };
  for (const HeaderEdit& edit : decision.edits) note(mta.edit_header(edit));
  if (decision.verdict.action == rules::Action::kQuarantine) {
    note(mta.quarantine(printable(decision.verdict.reason, kQuarantineReasonBytesMax)));
  }
  if (decision.reply) note(mta.set_reply(*decision.reply));
  return first;
}

}  // namespace shingled::milter::actions
