#include "milter/reports/teaching.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <vector>

namespace shingled::milter::reports {

namespace {

constexpr std::chrono::seconds kTeachPatience{20};

/// nullopt: there is nothing to be done.
std::optional<storage::Update> update_of(const storage::sqlite::HashChange& change) {
  storage::Update update;
  update.flag = change.hash.flag;
  update.fingerprint = change.hash.fingerprint;
  update.value = change.wanted - change.taught;
  if (update.value > 0) return update;
  const std::int32_t off = std::min(-update.value, std::max(change.seen, 0));
  if (off == 0) return std::nullopt;
  update.value = -off;
  if (off == change.seen) update.kind = storage::Update::Kind::kDelete;
  return update;
}

}  // namespace

std::int32_t stored_weight(const storage::FuzzyStore& store,
                           const storage::sqlite::ReportedHash& hash, std::uint32_t now) {
  const auto match = store.check(hash.fingerprint.digest, nullptr, now);
  if (!match || !match->exact) return 0;
  for (std::size_t i = 0; i < match->flag_count; ++i) {
    if (match->flags[i].flag == hash.flag) return match->flags[i].value;
  }
  return 0;
}

Status teach(storage::FuzzyStore& store, std::span<const storage::sqlite::HashChange> changes) {
  // The storage may call back after we have given up.
  std::vector<std::future<Status>> answers;
  for (const storage::sqlite::HashChange& change : changes) {
    auto update = update_of(change);
    if (!update) continue;
    auto answer = std::make_shared<std::promise<Status>>();
    answers.push_back(answer->get_future());
    store.submit(*std::move(update), [answer](const Status& done) { answer->set_value(done); });
  }
  Status worst;
  for (std::future<Status>& answer : answers) {
    if (answer.wait_for(kTeachPatience) != std::future_status::ready)
      return Error{ErrorCode::kTimeout, "the storage does not answer"};
    if (Status done = answer.get(); !done) worst = done;
  }
  return worst;
}

}  // namespace shingled::milter::reports
