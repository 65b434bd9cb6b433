#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/server_options.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/commands/elsewhere.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/desk/servers/service_failure.h"
#include "milter/view/lines/status_lines.h"

namespace shingled::milter::cli {

namespace {

using Kind = storage::client::RemoteRequest::Kind;

struct StatusArguments {
  SettingsArguments settings;
  desk::ServerArguments server;
  std::uint32_t count = 1;
  bool json = false;
};

constexpr std::uint32_t kPingsMax = 100'000;

/// A request that shows whether a server is alive. PING is only for our own daemon: rspamd 3.4
/// takes it for an update and may abort. A CHECK of a random digest is safe everywhere and tests
/// the back end, too (PROTOCOL.md section 9.3).
storage::client::RemoteRequest probe(bool local, Random& random) {
  storage::client::RemoteRequest request;
  request.kind = local ? Kind::kPing : Kind::kCheck;
  if (!local) random.fill(request.fingerprint.digest.bytes);
  return request;
}

/// The results of all pings of a server.
Json add_statistics(Json object, const storage::client::ServerStatistics& statistics) {
  object["sent"] = statistics.requests;
  object["over_tcp"] = statistics.over_tcp;
  object["answered"] = statistics.replies;
  object["repeats"] = statistics.repeats;
  object["strays"] = statistics.strays;
  const auto seconds = [&](std::chrono::microseconds time) {
    return statistics.replies == 0 ? Json(nullptr) : Json(static_cast<double>(time.count()) / 1e6);
  };
  object["time_mean"] = seconds(statistics.latency_mean());
  object["time_max"] = seconds(statistics.latency_max);
  return object;
}

/// Without an answer there is no time to print.
TableRow statistics_row(const storage::client::ServerStatistics& statistics) {
  TableRow row = {statistics.server,
                  fmt::format("{} of {} answered", statistics.replies, statistics.requests),
                  counted(statistics.repeats, "repeat", "repeats")};
  if (statistics.replies == 0) return row;
  row.push_back(fmt::format("mean {} ms", desk::milliseconds_text(statistics.latency_mean())));
  row.push_back(fmt::format("max {} ms", desk::milliseconds_text(statistics.latency_max)));
  return row;
}

Json answer_json(const desk::Destination& asked, const storage::client::RemoteAnswer& answer,
                 Kind kind) {
  const auto failure = desk::failure_of(answer);
  Json object = {{"rule", asked.rule->name}, {"server", answer.server}, {"ok", !failure}};
  if (kind == Kind::kStat) object["count"] = failure ? Json(nullptr) : Json(answer.count);
  object["time"] = static_cast<double>(answer.time.count()) / 1e6;
  if (failure) object["error"] = failure->explain();
  return object;
}

/// One run of `stat` or `ping`.
/// Threads: one thread.
class StatusRun {
 public:
  StatusRun(const StatusArguments& arguments, Kind kind, Console& console)
      : arguments_(arguments),
        kind_(kind),
        name_(kind == Kind::kStat ? "stat" : "ping"),
        console_(console) {}

  /// Asks every server of every destination; equal services once.
  int run() {
    settings_ = arguments_.settings.load(console_);
    if (!settings_) return EX_CONFIG;
    if (kind_ == Kind::kStat && desk::asks_another_machine(*settings_) &&
        arguments_.server.servers.empty())
      return show_other_daemon();
    const auto destinations = desk::choose_destinations(arguments_.server, *settings_);
    if (!destinations) {
      console_.error(name_, destinations.error().message);
      return usage_exit_code(destinations.error());
    }
    std::vector<RemoteOptions> asked;
    for (const desk::Destination& destination : *destinations) {
      if (std::find(asked.begin(), asked.end(), destination.remote) != asked.end()) continue;
      asked.push_back(destination.remote);
      ask(destination);
    }
    print_table(rows_, "", console_);
    return worst_;
  }

 private:
  void ask(const desk::Destination& destination) {
    if (kind_ == Kind::kStat && destination.local && show_status_page(destination)) return;
    const auto store = storage::client::RemoteStore::open(destination.remote, clock_, random_);
    if (!store) {
      console_.error("rule " + destination.rule->name, store.error().message);
      worst_ = worse_exit_code(worst_, service_exit_code(store.error()));
      return;
    }
    std::vector<storage::client::RemoteAnswer> answers;
    for (std::uint32_t i = 0; i < arguments_.count; ++i) {
      storage::client::RemoteRequest request = probe(destination.local, random_);
      if (kind_ == Kind::kStat) request.kind = kind_;
      answers =
          storage::client::ask_each(**store, request, desk::patience(destination.remote, clock_));
      for (const auto& answer : answers) {
        if (const auto failure = desk::failure_of(answer)) {
          console_.error(name_, failure->explain());
          worst_ = worse_exit_code(worst_, failure->exit_code());
        }
      }
    }
    const auto statistics = (*store)->statistics();
    for (const auto& answer : answers) show(destination, answer, statistics);
  }

  void show(const desk::Destination& destination, const storage::client::RemoteAnswer& answer,
            const std::vector<storage::client::ServerStatistics>& statistics) {
    const auto of_server = std::find_if(statistics.begin(), statistics.end(), [&](const auto& one) {
      return one.server == answer.server;
    });
    const bool many = arguments_.count > 1 && of_server != statistics.end();
    if (arguments_.json) {
      Json object = answer_json(destination, answer, kind_);
      console_.json(many ? add_statistics(std::move(object), *of_server) : object);
    } else if (many) {
      rows_.push_back(statistics_row(*of_server));
    } else if (!desk::failure_of(answer)) {
      rows_.push_back({answer.server,
                       kind_ == Kind::kStat ? counted(answer.count, "hash", "hashes") : "alive",
                       desk::milliseconds_text(answer.time) + " ms"});
    }
  }

  /// Prints the status page of a daemon elsewhere.
  int show_other_daemon() {
    const TimePoint start = clock_.now();
    const auto page = desk::daemon_of(*settings_, clock_).get("/stat");
    const std::chrono::duration<double> time = clock_.now() - start;
    if (!page) {
      console_.error(name_, page.error().message);
      return service_exit_code(page.error());
    }
    const auto count = view::page_total(*page, "shingled_storage_records");
    if (arguments_.json) {
      console_.json({{"server", settings_->client.server},
                     {"ok", true},
                     {"count", count ? Json(static_cast<std::uint64_t>(*count)) : Json(nullptr)},
                     {"time", time.count()},
                     {"status", *page}});
      return EX_OK;
    }
    const std::string hashes =
        count ? counted(static_cast<std::size_t>(*count), "hash", "hashes") : "no storage";
    print_table({{terminal_safe(settings_->client.server), hashes,
                  fmt::format("{:.3f} ms", time.count() * 1000)}},
                "", console_);
    const RuleOptions* const rule = settings_->rules.empty() ? nullptr : &settings_->rules.front();
    for (const std::string& line :
         view::status_lines(*page, rule == nullptr ? FlagMap() : rule->flags))
      console_.line(line);
    return EX_OK;
  }

  /// Prints the status page of the local daemon; false if there is none.
  bool show_status_page(const desk::Destination& destination) {
    const TimePoint start = clock_.now();
    const auto page = desk::daemon_of(*settings_, clock_).get("/stat");
    if (!page) return false;
    const auto count = view::page_total(*page, "shingled_storage_records");
    if (!count) return false;
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - start);
    storage::client::RemoteAnswer answer;
    answer.outcome = storage::client::RemoteAnswer::Outcome::kDone;
    answer.server = destination.remote.servers.servers.front().to_string();
    answer.time = time;
    answer.count = static_cast<std::uint64_t>(*count);
    if (arguments_.json) {
      Json object = answer_json(destination, answer, kind_);
      object["status"] = *page;
      console_.json(object);
      return true;
    }
    const TableRow row = {answer.server, counted(answer.count, "hash", "hashes"),
                          desk::milliseconds_text(answer.time) + " ms"};
    print_table({row}, "", console_);
    for (const std::string& line : view::status_lines(*page, destination.rule->flags))
      console_.line(line);
    return true;
  }

  const StatusArguments& arguments_;
  std::shared_ptr<const Settings> settings_;  // set by `run`
  const Kind kind_;
  const std::string name_;
  Console& console_;
  SystemClock clock_;
  SystemRandom random_;
  std::vector<TableRow> rows_;
  int worst_ = EX_OK;
};

void add_daemon_options(CLI::App& command, StatusArguments& arguments) {
  command
      .add_option(
          "--key-file", arguments.settings.daemon.key_file,
          "Of --server https://HOST[:PORT]: has the key that `shingled key add` showed there")
      ->type_name("FILE");
  command
      .add_option("--ca-file", arguments.settings.daemon.ca_file,
                  "Of the same: certificates to trust instead of those of the system")
      ->type_name("FILE");
}

CLI::App* add_status_command(CLI::App& app, Command& chosen, const std::string& name, Kind kind,
                             const std::string& summary) {
  CLI::App* command = app.add_subcommand(name, summary);
  const auto arguments = std::make_shared<StatusArguments>();
  arguments->settings.add_to(*command);
  add_server_options(arguments->server, *command);
  if (kind == Kind::kStat) add_daemon_options(*command, *arguments);
  command->add_flag("--json", arguments->json, "One JSON object per line and server");
  if (kind == Kind::kPing) {
    command->add_option("--count", arguments->count, "Number of pings, one after the other (1)")
        ->type_name("N")
        ->check(CLI::Range(1U, kPingsMax));
  }
  command->callback([arguments, kind, &chosen] {
    if (kind == Kind::kStat) take_daemon(arguments->server, arguments->settings);
    chosen = [arguments, kind](Console& console) {
      return StatusRun(*arguments, kind, console).run();
    };
  });
  return command;
}

}  // namespace

void add_status_commands(CLI::App& app, Command& chosen) {
  add_status_command(app, chosen, "stat", Kind::kStat,
                     "Hashes of each server, and the counters of the local daemon")
      ->footer(
          R"(The local daemon reports more over HTTP (http.listen): lists, updates, requests by kind, drops, times. Without that,
and for other servers, only the number of hashes is shown. A daemon elsewhere tells all of that, if --server (or
client.server) is its URL (role metrics).

Example:
  shingled stat --server 192.0.2.1:11335
  shingled stat --server https://mx1.example.org --key-file mx1.key)");
  add_status_command(app, chosen, "ping", Kind::kPing,
                     "Test whether each server answers, and how fast")
      ->footer(R"(Example:
  shingled ping --count 100)");
}

}  // namespace shingled::milter::cli
