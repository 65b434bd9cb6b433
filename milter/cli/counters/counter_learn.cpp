#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "config/words/units.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/cli/counters/counter_run.h"
#include "milter/counters/message_origin.h"
#include "milter/desk/counters/learn_batch.h"
#include "milter/judge/message/message_view.h"
#include "milter/process/interrupt.h"
#include "mime/message/header_block.h"

namespace shingled::milter::cli {

namespace {

using storage::counters::Measure;

constexpr std::chrono::hours kSinceMost{14 * 24};

/// What became of the messages.
struct LearnTotals {
  std::uint64_t spam = 0;
  std::uint64_t ham = 0;
  std::uint64_t old = 0;
  std::uint64_t future = 0;
  std::uint64_t undated = 0;
  std::uint64_t learnt = 0;  ///< of spam and ham, what the counters have taken
};

class LearnRun {
 public:
  LearnRun(const LearnArguments& arguments, std::chrono::seconds since, CounterRun& run)
      : arguments_(arguments),
        run_(run),
        plan_(run.settings()),
        now_(run.clock().wall()),
        oldest_(now_ - since),
        batches_([this](const std::string& additions) { return send(additions); }) {
    plan_.add_counted();
  }

  int run() {
    int worst = learn_from(arguments_.spam, Measure::kSpam);
    if (may_go_on(worst)) worst = worse_exit_code(worst, learn_from(arguments_.ham, Measure::kHam));
    if (may_go_on(worst)) {
      if (Status sent = batches_.finish(); !sent) worst = run_.failed(sent.error());
    }
    tell();
    return worst;
  }

 private:
  static bool may_go_on(int code) {
    return code == EX_OK || code == EX_DATAERR || code == EX_NOINPUT;
  }

  int learn_from(const std::vector<std::string>& names, Measure verdict) {
    if (names.empty()) return EX_OK;
    return for_each_message({.names = names},
                            {.message_bytes_max = run_.settings().milter.message_bytes_max},
                            run_.console(), [&](const input::SourceMessage& message) {
                              const Status taken = take(message.bytes, verdict);
                              return taken ? EX_OK : run_.failed(taken.error());
                            });
  }

  Status take(std::string_view bytes, Measure verdict) {
    const Settings& settings = run_.settings();
    const auto header = mime::split_header_block(bytes, settings.mime);
    const counters::MessageOrigin origin =
        counters::origin_of(header.fields, settings.milter.local_networks);
    if (!origin.time) return note(totals_.undated);
    if (*origin.time > now_) return note(totals_.future);
    if (*origin.time < oldest_) return note(totals_.old);
    (void)note(verdict == Measure::kSpam ? totals_.spam : totals_.ham);
    if (arguments_.dry_run) return {};
    const auto found = judge::pieces_of(bytes, plan_, origin.envelope);
    Json pieces = Json::array();
    for (const mime::Piece& piece : found.pieces) pieces.push_back(pieces::piece_json({piece, ""}));
    Amounts amounts;
    amounts.of(Measure::kMass) = 1;
    amounts.of(Measure::kRecipients) = std::max<std::size_t>(origin.envelope.recipients.size(), 1);
    amounts.of(Measure::kBytes) = bytes.size();
    amounts.of(verdict) = 1;
    const std::int64_t time = origin.time->time_since_epoch().count();
    const Json addition = {{"time", time},
                           {"space", arguments_.direction},
                           {"pieces", std::move(pieces)},
                           {"add", desk::amounts_json(amounts)}};
    return batches_.add(time, addition.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  static Status note(std::uint64_t& count) {
    ++count;
    return {};
  }

  Status send(const std::string& additions) {
    const auto learnt = run_.client().learn(additions);
    if (!learnt) return learnt.error();
    totals_.learnt += *learnt;
    return {};
  }

  void tell() {
    Console& console = run_.console();
    const LearnTotals& t = totals_;
    if (arguments_.json) {
      console.json({{"spam", t.spam},
                    {"ham", t.ham},
                    {"old", t.old},
                    {"future", t.future},
                    {"undated", t.undated},
                    {"learnt", t.learnt}});
      return;
    }
    const std::string what = arguments_.dry_run ? "would be learnt" : "learnt";
    console.line(
        fmt::format("{} {}: {} spam, {} ham",
                    counted(arguments_.dry_run ? t.spam + t.ham : t.learnt, "message", "messages"),
                    what, t.spam, t.ham));
    const std::uint64_t left_out = t.old + t.future + t.undated;
    if (left_out > 0) {
      console.line(fmt::format("left out: {} older than {}, {} from the future, {} without a date",
                               t.old, arguments_.since, t.future, t.undated));
    }
    if (!arguments_.dry_run && t.learnt < t.spam + t.ham) {
      console.note(fmt::format("{} not learnt; those that are would count twice in another run",
                               counted(t.spam + t.ham - t.learnt, "message", "messages")));
    }
  }

  const LearnArguments& arguments_;
  CounterRun& run_;
  judge::ViewPlan plan_;
  WallTime now_;
  WallTime oldest_;
  desk::LearnBatches batches_;
  LearnTotals totals_;
};

}  // namespace

int run_counter_learn(LearnArguments& arguments, Console& console) {
  CounterRun run(console);
  if (arguments.spam.empty() && arguments.ham.empty()) {
    return run.wrong_usage("learn", "give --spam DIR, --ham DIR or both");
  }
  const auto since = config::parse_duration(arguments.since);
  if (!since || *since <= std::chrono::seconds(0) || *since > kSinceMost) {
    return run.wrong_usage("--since", "takes a time up to 14d, such as 36h");
  }
  if (const int code = run.open(arguments); code != EX_OK) return code;
  return LearnRun(arguments, std::chrono::duration_cast<std::chrono::seconds>(*since), run).run();
}

}  // namespace shingled::milter::cli
