#include "milter/actions/reply_text.h"

#include "milter/actions/printable.h"

namespace shingled::milter::actions {

namespace {

constexpr std::size_t kReplyBytesMax = 400;  // libmilter's own bound is 980, SMTP's line 512

}  // namespace

std::optional<Reply> reply_for(const rules::Verdict& verdict, const std::string& reject_text) {
  if (verdict.action == rules::Action::kReject) {
    if (verdict.failed) return Reply{"550", "5.7.1", "Message could not be checked"};
    return Reply{"550", "5.7.1", printable(reject_text, kReplyBytesMax)};
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

}  // namespace shingled::milter::actions
