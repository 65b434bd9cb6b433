// What ReportDesk tells the store of what people say, and what it leaves out.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "milter/counters/counted_keys.h"
#include "milter/counters/message_pieces.h"
#include "milter/reports/report_desk_open.h"
#include "milter/reports/wanted_files.h"

namespace shingled::milter::reports {

namespace {

/// For each report.
constexpr std::chrono::seconds kPatience{3};

}  // namespace

Status ReportDesk::say(const Open& open, const Report& report, const ReportedMessage& message,
                       const storage::sqlite::ReporterRow& reporter, const ReportPolicy& policy) {
  const auto people = setup_.people ? setup_.people() : nullptr;
  if (people == nullptr) return {};
  storage::people::Statement said{.person = reporter.name,
                                  .message = message.name,
                                  .kind = report.kind,
                                  .standing = standing_of(reporter, policy),
                                  .time = now(),
                                  .signs = {}};
  const bool proved = counters::is_from_proved(message.pieces);
  for (const storage::counters::Pair& key :
       counters::keys_of(open.site, message.direction, message.pieces))
    if (!is_pair(key.key.type)) said.signs.push_back(storage::people::sign_of(key.key, proved));
  std::ranges::sort(said.signs);
  said.signs.erase(std::unique(said.signs.begin(), said.signs.end()), said.signs.end());
  if (Status still = go_on(); !still) return still;
  const Unlocked waits(mutex_);
  return people->say(said, clock_.now() + kPatience);
}

void ReportDesk::leave_out_wanted_files(const Open& open, ReportedMessage& message) {
  const auto counters = setup_.counters ? setup_.counters() : nullptr;
  if (counters == nullptr) return;
  const auto people = setup_.people ? setup_.people() : nullptr;
  std::set<Digest> files;
  {
    const Unlocked waits(mutex_);
    files = wanted_files(message, {*counters, people.get(), open.site, clock_.now() + kPatience});
  }
  if (files.empty()) return;
  leave_out(files, message);
  logger_.info(LogLine("report_leaves_files")
                   .field("message", fmt::format("{:016x}", message.name))
                   .field("files", files.size())
                   .field("why", "wanted mail carries them, too"));
}

Status ReportDesk::unsay(std::span<const storage::sqlite::ReportName> reports) {
  const auto people = setup_.people ? setup_.people() : nullptr;
  if (people == nullptr) return {};
  const Unlocked waits(mutex_);
  for (const storage::sqlite::ReportName& report : reports) {
    if (Status still = go_on(); !still) return still;
    const TimePoint deadline = clock_.now() + kPatience;
    if (Status done = people->withdraw(report.message, report.reporter, deadline); !done)
      return done;
  }
  return {};
}

}  // namespace shingled::milter::reports
