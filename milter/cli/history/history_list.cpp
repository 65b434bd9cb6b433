#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "config/base/random.h"
#include "milter/cli/history/history_commands.h"
#include "milter/cli/history/record_output.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/interrupt.h"
#include "milter/history/message_record.h"
#include "milter/history/row_code.h"
#include "milter/replay/history_span.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::cli {

namespace {

using storage::sqlite::HistoryReader;

int fail(const Error& error, Console& console) {
  console.error("history", error.message);
  return database_exit_code(error);
}

/// The name under which the history knows a sender. The key is only read: a new one would name
/// nobody.
Result<std::uint64_t> name_of_sender(const std::string& address, const CounterOptions& counters) {
  const std::string path = counters.key_path();
  if (::access(path.c_str(), F_OK) != 0)
    return Error{ErrorCode::kNotFound, path +
                                           ": there is no key (counters.key_file), so that "
                                           "senders have no names; see --config"};
  SystemRandom random;
  const auto site = storage::counters::read_or_make_key(path, random);
  if (!site) return site.error();
  const std::uint64_t name = history::sender_id(*site, address);
  if (name == 0) return Error{ErrorCode::kInvalid, "--from " + address + ": not an address"};
  return name;
}

/// Which messages are wanted.
class RowFilter {
 public:
  RowFilter(const HistoryArguments& arguments, std::optional<std::uint64_t> sender)
      : arguments_(arguments), sender_(sender) {}

  [[nodiscard]] bool wants_row(const HistoryReader::View& row) const {
    return (!sender_ || row.sender == *sender_) &&
           (arguments_.action.empty() || action_text(row.action) == arguments_.action) &&
           (arguments_.label.empty() || label_text(row.label) == arguments_.label);
  }
  [[nodiscard]] bool wants_record(const history::MessageRecord& record) const {
    return arguments_.symbol.empty() ||
           std::any_of(record.evidence.begin(), record.evidence.end(),
                       [&](const auto& evidence) { return evidence.symbol == arguments_.symbol; });
  }

 private:
  const HistoryArguments& arguments_;
  const std::optional<std::uint64_t> sender_;
};

void note_broken(std::uint64_t broken, Console& console) {
  if (broken == 0) return;
  console.error("history", counted(broken, "row", "rows") + " cannot be read and " +
                               (broken == 1 ? "is" : "are") + " left out");
}

}  // namespace

int run_history(const HistoryArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto span = replay::span_of(arguments.span, SystemClock().wall());
  if (!span) {
    console.error("usage", span.error().message);
    return EX_USAGE;
  }
  std::optional<std::uint64_t> sender;
  if (!arguments.from.empty()) {
    const auto name = name_of_sender(arguments.from, settings->counters);
    if (!name) {
      console.error("history", name.error().message);
      return usage_exit_code(name.error());
    }
    sender = *name;
  }
  auto reader = HistoryReader::open(settings->history.file);
  if (!reader) return fail(reader.error(), console);

  const RowFilter filter(arguments, sender);
  history::MessageRecord record;
  std::vector<TableRow> rows;
  std::size_t shown = 0;
  std::uint64_t broken = 0;
  const Status done = (*reader)->read_newest_first(*span, [&](const HistoryReader::View& row) {
    if (shown == arguments.limit || interrupted()) return false;
    if (!filter.wants_row(row)) return true;
    if (!history::decode_record(row.details, record)) {
      ++broken;
      return true;
    }
    if (!filter.wants_record(record)) return true;
    ++shown;
    if (arguments.json) {
      console.json(message_json({row, record}));
    } else {
      rows.push_back(message_row({row, record}));
    }
    return true;
  });
  print_table(rows, "", console);
  note_broken(broken, console);
  if (!done) return fail(done.error(), console);
  if (interrupted()) return kExitInterrupted;
  if (shown == 0 && !arguments.json) console.note("no such message in the history");
  return broken == 0 ? EX_OK : EX_DATAERR;
}

int run_history_show(const HistoryShowArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  auto reader = HistoryReader::open(settings->history.file);
  if (!reader) return fail(reader.error(), console);
  history::MessageRecord record;
  std::size_t shown = 0;
  std::uint64_t broken = 0;
  const Status done = (*reader)->find(arguments.queue_id, [&](const HistoryReader::View& row) {
    if (!history::decode_record(row.details, record)) {
      ++broken;
      return true;
    }
    if (arguments.json) {
      console.json(whole_message_json({row, record}));
    } else {
      if (shown > 0) console.line("");
      print_message({row, record}, console);
    }
    ++shown;
    return true;
  });
  note_broken(broken, console);
  if (!done) return fail(done.error(), console);
  if (broken > 0) return EX_DATAERR;
  if (shown > 0) return EX_OK;
  console.error("history", terminal_safe(arguments.queue_id) + ": no such message in the history");
  return EX_NOINPUT;
}

}  // namespace shingled::milter::cli
