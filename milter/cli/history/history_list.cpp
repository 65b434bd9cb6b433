#include <sysexits.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/base/random.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/history/history_commands.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/daemon_history.h"
#include "milter/history/message_record.h"
#include "milter/history/message_search.h"
#include "milter/process/interrupt.h"
#include "milter/replay/history_span.h"
#include "milter/view/lines/message_lines.h"
#include "milter/view/message_json.h"
#include "storage/counters/counter_key.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::cli {

namespace {

using storage::sqlite::HistoryReader;

int fail(const Error& error, bool elsewhere, Console& console) {
  console.error("history", error.message);
  return elsewhere ? service_exit_code(error) : database_exit_code(error);
}

/// Puts who sent it into a query: an address is found by its name in the history, also where it has
/// no addresses; a part of one only where it has. The key is only read: a new one would name
/// nobody.
Status add_sender(const std::string& from, const CounterOptions& counters,
                  history::MessageQuery& query) {
  if (from.empty()) return {};
  const std::string path = counters.key_path();
  if (::access(path.c_str(), F_OK) != 0)
    return Error{ErrorCode::kNotFound, path +
                                           ": there is no key (counters.key_file), so that "
                                           "senders have no names; see --config"};
  SystemRandom random;
  const auto site = storage::counters::read_or_make_key(path, random);
  if (!site) return site.error();
  const std::uint64_t name = history::sender_id(*site, from);
  if (name == 0) {
    query.sender = from;
  } else {
    query.sender_id = name;
  }
  return {};
}

/// `elsewhere`: only what is wrong with the arguments is looked for.
Result<history::MessageQuery> query_of(const HistoryArguments& arguments,
                                       const CounterOptions& counters, bool elsewhere = false) {
  history::MessageQuery query;
  query.recipient = arguments.recipient;
  query.subject = arguments.subject;
  query.symbol = arguments.symbol;
  query.action = arguments.action;
  query.label = arguments.label;
  if (!arguments.digest.empty()) {
    auto digest = history::parse_digest_part(arguments.digest);
    if (!digest) return digest.error().in("--digest");
    query.digest = *std::move(digest);
  }
  if (elsewhere) return query;
  if (Status added = add_sender(arguments.from, counters, query); !added) return added.error();
  return query;
}

void note_broken(std::uint64_t broken, Console& console) {
  if (broken == 0) return;
  console.error("history", counted(broken, "row", "rows") + " cannot be read and " +
                               (broken == 1 ? "is" : "are") + " left out");
}

using TakeMessage = std::function<bool(const Json&)>;

/// A search in the file of these settings.
/// Errors: those of the reader; kInvalid and kNotFound of the query.
Result<std::uint64_t> find_here(const Settings& settings, const HistoryArguments& arguments,
                                const TakeMessage& take) {
  auto query = query_of(arguments, settings.counters);
  if (!query) return query.error();
  const auto span = replay::span_of(arguments.span, SystemClock().wall());
  if (!span) return span.error();
  query->span = *span;
  auto reader = HistoryReader::open(settings.history.file);
  if (!reader) return reader.error();
  const auto end = history::find_messages(
      **reader, *query, {.found_max = arguments.limit},
      [&](const history::FoundMessage& message) { return take(view::message_json(message)); });
  if (!end) return end.error();
  return end->broken;
}

Result<std::uint64_t> show_here(const Settings& settings, const std::string& name,
                                const TakeMessage& take) {
  auto reader = HistoryReader::open(settings.history.file);
  if (!reader) return reader.error();
  return history::find_named(**reader, name, [&](const history::FoundMessage& message) {
    static_cast<void>(take(view::whole_message_json(message)));
  });
}

}  // namespace

int run_history(const HistoryArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const SystemClock clock;
  if (const auto span = replay::span_of(arguments.span, clock.wall()); !span) {
    console.error("usage", span.error().message);
    return EX_USAGE;
  }
  if (const auto query =
          query_of(arguments, settings->counters, desk::asks_another_machine(*settings));
      !query) {
    console.error("history", query.error().message);
    return usage_exit_code(query.error());
  }
  std::vector<TableRow> rows;
  std::size_t shown = 0;
  const auto take = [&](const Json& message) {
    if (process::interrupted()) return false;
    ++shown;
    if (arguments.json) {
      console.json(message);
    } else {
      rows.push_back(view::message_row(message));
    }
    return true;
  };
  const bool elsewhere = desk::asks_another_machine(*settings);
  const auto broken = elsewhere ? desk::DaemonHistory(*settings, clock).find(arguments, take)
                                : find_here(*settings, arguments, take);
  print_table(rows, "", console);
  if (!broken) return fail(broken.error(), elsewhere, console);
  note_broken(*broken, console);
  if (process::interrupted()) return process::kExitInterrupted;
  if (shown == 0 && !arguments.json) console.note("no such message in the history");
  return *broken == 0 ? EX_OK : EX_DATAERR;
}

int run_history_show(const HistoryShowArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const SystemClock clock;
  std::size_t shown = 0;
  const auto take = [&](const Json& message) {
    if (arguments.json) {
      console.json(message);
    } else {
      if (shown > 0) console.line("");
      view::print_message(message, console);
    }
    ++shown;
    return true;
  };
  const bool elsewhere = desk::asks_another_machine(*settings);
  const auto broken = elsewhere
                          ? desk::DaemonHistory(*settings, clock).show(arguments.queue_id, take)
                          : show_here(*settings, arguments.queue_id, take);
  if (!broken) return fail(broken.error(), elsewhere, console);
  note_broken(*broken, console);
  if (*broken > 0) return EX_DATAERR;
  if (shown > 0) return EX_OK;
  console.error("history", terminal_safe(arguments.queue_id) + ": no such message in the history");
  return EX_NOINPUT;
}

}  // namespace shingled::milter::cli
