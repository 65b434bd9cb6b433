#include <sysexits.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "config/base/random.h"
#include "milter/cli/history/history_commands.h"
#include "milter/cli/history/record_output.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/interrupt.h"
#include "milter/history/message_record.h"
#include "milter/history/message_search.h"
#include "milter/replay/history_span.h"
#include "milter/view/message_json.h"
#include "storage/counters/counter_key.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::cli {

namespace {

using storage::sqlite::HistoryReader;

int fail(const Error& error, Console& console) {
  console.error("history", error.message);
  return database_exit_code(error);
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

Result<history::MessageQuery> query_of(const HistoryArguments& arguments,
                                       const CounterOptions& counters) {
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
  if (Status added = add_sender(arguments.from, counters, query); !added) return added.error();
  return query;
}

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
  auto query = query_of(arguments, settings->counters);
  if (!query) {
    console.error("history", query.error().message);
    return usage_exit_code(query.error());
  }
  query->span = *span;
  auto reader = HistoryReader::open(settings->history.file);
  if (!reader) return fail(reader.error(), console);

  std::vector<TableRow> rows;
  std::size_t shown = 0;
  const auto end = history::find_messages(**reader, *query, {.found_max = arguments.limit},
                                          [&](const history::FoundMessage& message) {
                                            if (interrupted()) return false;
                                            ++shown;
                                            if (arguments.json) {
                                              console.json(view::message_json(message));
                                            } else {
                                              rows.push_back(message_row(message));
                                            }
                                            return true;
                                          });
  print_table(rows, "", console);
  if (!end) return fail(end.error(), console);
  note_broken(end->broken, console);
  if (interrupted()) return kExitInterrupted;
  if (shown == 0 && !arguments.json) console.note("no such message in the history");
  return end->broken == 0 ? EX_OK : EX_DATAERR;
}

int run_history_show(const HistoryShowArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  auto reader = HistoryReader::open(settings->history.file);
  if (!reader) return fail(reader.error(), console);
  std::size_t shown = 0;
  const auto broken =
      history::find_named(**reader, arguments.queue_id, [&](const history::FoundMessage& message) {
        if (arguments.json) {
          console.json(view::whole_message_json(message));
        } else {
          if (shown > 0) console.line("");
          print_message(message, console);
        }
        ++shown;
      });
  if (!broken) return fail(broken.error(), console);
  note_broken(*broken, console);
  if (*broken > 0) return EX_DATAERR;
  if (shown > 0) return EX_OK;
  console.error("history", terminal_safe(arguments.queue_id) + ": no such message in the history");
  return EX_NOINPUT;
}

}  // namespace shingled::milter::cli
