#include "milter/promotion/decision_desk.h"

#include <utility>

#include "config/promotions/replaced_file.h"

namespace shingled::milter::promotion {

void DecisionDesk::use(const std::string& file) {
  const MutexLock one_at_a_time(writing_);
  {
    const MutexLock lock(mutex_);
    if (file_ == file) return;
  }
  auto read = config::read_decisions(file);
  if (!read) {
    LogLine line("policy_decisions_unreadable");
    line.field("file", file).field("problem", read.error().message);
    const bool is_content =
        read.error().code == ErrorCode::kCorrupt || read.error().code == ErrorCode::kInvalid;
    const auto aside = is_content ? config::set_aside(file) : Result<std::string>(read.error());
    if (aside) line.field("kept_as", *aside);
    logger_.error(line.field("rules", "as the settings say"));
  }
  const MutexLock lock(mutex_);
  file_ = file;
  decisions_ = read ? *std::move(read) : config::RuleDecisions{};
}

config::RuleDecisions DecisionDesk::decisions() const {
  const MutexLock lock(mutex_);
  return decisions_;
}

Status DecisionDesk::decide(const std::string& rule,
                            const std::optional<config::RuleDecision>& decision,
                            Duration patience) {
  std::uint64_t change = 0;
  {
    const MutexLock one_at_a_time(writing_);
    std::string file;
    config::RuleDecisions next;
    {
      const MutexLock lock(mutex_);
      file = file_;
      next = decisions_;
    }
    if (file.empty()) return Error{ErrorCode::kUnavailable, "no rules are in force here"};
    std::erase_if(next, [&](const config::RuleDecision& one) { return one.name == rule; });
    if (decision) next.push_back(*decision);
    if (next.size() > config::kDecisionsMax)
      return Error{ErrorCode::kLimit, "there are too many decisions"};
    if (Status kept = config::write_decisions(file, next); !kept) return kept;
    const MutexLock lock(mutex_);
    decisions_ = std::move(next);
    change = ++wanted_;
  }
  MutexLock lock(mutex_);
  const bool done = done_.wait_for(lock.as_lock(), patience, [&]() SHINGLED_REQUIRES(mutex_) {
    return in_force_ >= change || closed_;
  });
  if (!done || !good_ || in_force_ < change)
    return Error{ErrorCode::kUnavailable,
                 done && !good_
                     ? "it is kept, but the rules could not be put in force; the log says why"
                     : "it is kept, and will be in force soon"};
  return {};
}

std::optional<std::uint64_t> DecisionDesk::take_change() {
  const MutexLock lock(mutex_);
  if (std::exchange(taken_, wanted_) == wanted_) return std::nullopt;
  return wanted_;
}

void DecisionDesk::put_in_force(std::uint64_t change, bool good) {
  const MutexLock lock(mutex_);
  in_force_ = change;
  good_ = good;
  done_.notify_all();
}

void DecisionDesk::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  done_.notify_all();
}

}  // namespace shingled::milter::promotion
