#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/best.h"
#include "config/base/hex.h"
#include "milter/api/hash_list_resource.h"
#include "milter/api/system/system_resource.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/commands/elsewhere.h"
#include "milter/cli/output/lookup_output.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/explained_match.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/desk/servers/storage_choice.h"
#include "milter/transfer/record_filter.h"
#include "milter/view/amount_text.h"
#include "storage/formats/row_list.h"

namespace shingled::milter::cli {

namespace {

using storage::formats::HitTable;
using storage::formats::ListedRow;
using storage::formats::RowBefore;
using storage::formats::RowOrder;

constexpr std::size_t kListLimit = 100;
constexpr std::size_t kTopMost = 1'000'000;  ///< rows kept while the heaviest are looked for

struct ListArguments {
  SettingsArguments settings;
  transfer::RecordArguments records;
  std::string rule;
  std::string order = "file";
  std::size_t limit = kListLimit;
  bool json = false;
};

void add_record_options(transfer::RecordArguments& records, CLI::App& command) {
  command.add_option("--flag", records.flag, "Only hashes of this list, by number or name")
      ->type_name("N|NAME");
  command
      .add_option("--older", records.older, "Only hashes last taught before this age, such as 30d")
      ->type_name("TIME");
  command.add_option("--newer", records.newer, "Only hashes taught within this time, such as 1h")
      ->type_name("TIME");
  command.add_option("--digest", records.digest, "Only digests that begin with this")
      ->type_name("HEX");
  command
      .add_option_function<std::int32_t>(
          "--min-value",
          [&records](std::int32_t least) {
            records.value_least = least;
            records.has_value_least = true;
          },
          "Only hashes with at least this value on a list")
      ->type_name("N");
}

/// The hits that the daemon has counted since its start.
/// Errors: those of DaemonClient, kCorrupt (unexpected page).
Result<HitTable> ask_for_hits(const Settings& settings, const Clock& clock) {
  const auto page =
      desk::daemon_of(settings, clock)
          .get("/api/1/hashes/top?most=" + std::to_string(api::SystemResource::kHitsMost));
  if (!page) return page.error().in("only the running daemon knows the hits");
  HitTable hits;
  const auto list = page->find("hits");
  for (const Json& one : list != page->end() ? *list : Json::array()) {
    const auto bytes = one.is_object() ? from_hex(one.value("digest", "")) : std::nullopt;
    if (!bytes || bytes->size() != kDigestBytes) continue;
    Digest digest;
    std::copy(bytes->begin(), bytes->end(), digest.bytes.begin());
    hits[digest] = one.value("hits", std::uint64_t{0});
  }
  return hits;
}

/// Prints rows: at once in the order of the file, else the first ones at the end.
class RecordList {
 public:
  RecordList(const RuleOptions& rule, RowOrder order, const ListArguments& arguments, WallTime now,
             Console& console)
      : rule_(rule),
        order_(order),
        arguments_(arguments),
        now_(now),
        console_(console),
        best_(arguments.limit, RowBefore{order}) {}

  /// With the order `hits`: only these rows are printed.
  void want(HitTable hits) { hits_ = std::move(hits); }

  /// False: no more rows are needed.
  bool take(const storage::sqlite::FuzzyRow& row, const storage::formats::RowChoice& choice) {
    auto one = storage::formats::listed(row, choice, order_, hits_);
    if (!one) return true;
    if (order_ == RowOrder::kFile) {
      show(*one);
      ++shown_;
      return (arguments_.limit == 0 || shown_ < arguments_.limit) && !console_.broken();
    }
    best_.add(*std::move(one));
    return true;
  }

  void finish() {
    for (const ListedRow& row : best_.take()) show(row);
  }

 private:
  void show(const ListedRow& listed) {
    const storage::sqlite::FuzzyRow& row = listed.row;
    const std::string digest = to_hex(row.digest.bytes);
    if (arguments_.json) {
      Json object = {
          {"digest", digest},
          {"flags", flags_json(rule_, row.flags.all())},
          {"created", row.created},
          {"updated", row.updated},
          {"source", row.source == 0 ? Json(nullptr) : Json(fmt::format("{:016x}", row.source))},
          {"shingles", listed.has_shingles}};
      if (order_ == RowOrder::kHits) object["hits"] = listed.hits;
      console_.json(object);
      return;
    }
    constexpr std::size_t kDigitsListed = 16;  // enough for `explain`
    std::string lists;
    for (const auto& [flag, value] : row.flags.all()) {
      lists += fmt::format("{}{} ({}) value {}", lists.empty() ? "" : ", ", symbol_of(rule_, flag),
                           flag, value);
    }
    const auto age = [&](std::uint32_t moment) {
      return view::age_text(now_ - WallTime(std::chrono::seconds(moment)));
    };
    if (order_ == RowOrder::kHits) lists = counted(listed.hits, "hit", "hits") + ", " + lists;
    console_.line(fmt::format("{}  {:>7}  {:>7}  {:<8}  {}", digest.substr(0, kDigitsListed),
                              age(row.updated), age(row.created),
                              listed.has_shingles ? "shingles" : "-", lists));
  }

  const RuleOptions& rule_;
  const RowOrder order_;
  const ListArguments& arguments_;
  const WallTime now_;
  Console& console_;
  std::size_t shown_ = 0;
  Best<ListedRow, RowBefore> best_;
  HitTable hits_;
};

int run_list(const ListArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto wrong = [&](std::string_view what) {
    console.error("list", what);
    return EX_USAGE;
  };
  const auto rule = desk::find_rule(*settings, arguments.rule);
  if (!rule) return wrong(rule.error().message);
  SystemClock clock;
  const auto filter = transfer::RecordFilter::make(arguments.records, (*rule)->flags, clock.wall());
  if (!filter) return wrong(filter.error().message);
  const auto order = storage::formats::parse_row_order(arguments.order);
  if (!order)
    return wrong("--order " + arguments.order + ": must be file, value, newest, oldest or hits");
  if (*order != RowOrder::kFile && (arguments.limit == 0 || arguments.limit > kTopMost)) {
    return wrong(fmt::format("--limit: with --order from 1 to {}", kTopMost));
  }

  if (desk::asks_another_machine(*settings)) {
    constexpr std::size_t kMost = api::HashListResource::kHashesMost;
    if (arguments.limit == 0 || arguments.limit > kMost)
      return wrong(fmt::format("--limit: of another machine from 1 to {}", kMost));
    return list_elsewhere(filter->choice(), arguments.order, arguments.limit, arguments.json,
                          *settings, console);
  }
  const auto file = desk::database_file(settings->storage, "shingled export");
  if (!file) return wrong(file.error().message);

  ProgressMeter meter(console, clock);
  const auto table = storage::sqlite::FuzzyTable::open_read_only(*file);
  if (!table) return meter.failed("list", table.error());
  RecordList list(**rule, *order, arguments, clock.wall(), console);
  if (*order == RowOrder::kHits) {
    auto hits = ask_for_hits(*settings, clock);
    if (!hits) return meter.failed("list", hits.error());
    list.want(*std::move(hits));
  }
  if (!arguments.json) {
    console.line(fmt::format("{:<16}  {:>7}  {:>7}  {:<8}  {}", "digest", "taught", "created",
                             "kind", "lists"));
  }
  std::uint64_t seen = 0;
  bool stopped = false;
  const Status read = (*table)->for_each([&](const storage::sqlite::FuzzyRow& row) {
    if (++seen % storage::kWatchEvery == 0 && !meter.report({"reading hashes", seen, 0})) {
      stopped = true;
      return false;
    }
    return list.take(row, filter->choice());
  });
  if (stopped) return meter.failed("list", storage::stopped());
  if (!read) return meter.failed("list", read.error());
  list.finish();
  return EX_OK;
}

}  // namespace

void add_list_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("list", "List the hashes in the database file by list, age or value");
  command->footer(
      R"(Reads the database file and changes nothing; the daemon may be running. Ages are shown since the last and the first
time a hash was taught. The beginning of a digest is enough for `shingled explain`. With --server the daemon of another
machine reads its file, and the first 1000 hashes at most are listed.

Example:
  shingled list --flag denied --order value --limit 20)");
  const auto arguments = std::make_shared<ListArguments>();
  arguments->settings.add_with_daemon_to(*command);
  add_record_options(arguments->records, *command);
  command->add_option("--rule", arguments->rule, "Rule with the names of the lists")
      ->type_name("NAME");
  command
      ->add_option(
          "--order", arguments->order,
          "file (default), value: heaviest first (on the list of --flag), newest, oldest: by the "
          "last teaching, hits: those that answered most questions since the daemon's start")
      ->type_name("ORDER");
  command->add_option("--limit", arguments->limit, "At most this many (100); 0 = all")
      ->type_name("N");
  command->add_flag("--json", arguments->json, "One JSON object per line and hash");
  when_asked(*command, chosen, arguments, run_list);
}

}  // namespace shingled::milter::cli
