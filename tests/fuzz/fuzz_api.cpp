// Requests for the API as strangers may send them, with a daemon's resources behind: a storage, a
// history, reports, counters, buckets, lists and rules in a temporary folder. Every answer is a
// whole one: a status that HTTP knows, a problem object for an error (RFC 9457), JSON where it says
// so. Whoever may only read changes nothing.
//
// A seed is a request: "POST /api/1/scan?ip=192.0.2.1", fields ("Role: read", "Content-Type: …"),
// an empty line, the body.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/metrics/metric_report.h"
#include "milter/api/bucket_resource.h"
#include "milter/api/counters/counter_resource.h"
#include "milter/api/file_resource.h"
#include "milter/api/hash_list_resource.h"
#include "milter/api/messages/hash_resource.h"
#include "milter/api/messages/list_resource.h"
#include "milter/api/messages/message_hashes.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/messages/report_resource.h"
#include "milter/api/messages/rule_resource.h"
#include "milter/api/model_resource.h"
#include "milter/api/scan_resource.h"
#include "milter/api/session_resource.h"
#include "milter/api/system/event_resource.h"
#include "milter/api/system/overview_resource.h"
#include "milter/api/system/system_resource.h"
#include "milter/history/row_code.h"
#include "milter/judge/snapshot.h"
#include "milter/policy/policy_rules.h"
#include "milter/reports/report_desk.h"
#include "mime/model/escapes.h"
#include "storage/counters/counter_files.h"
#include "storage/engine/engine.h"
#include "storage/open_store.h"
#include "storage/sqlite/history/history_table.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

using namespace shingled;
using namespace shingled::milter;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

/// What a daemon has, without its threads for HTTP.
class Site {
 public:
  Site() {
    settings_.storage.engine.hashfile = folder_.file("hashes.db");
    settings_.reports.file = folder_.file("reports.db");
    settings_.counters.embedded.directory = folder_.file("counters");
    settings_.ratelimit.file = folder_.file("buckets.db");
    settings_.policy.allow_file = folder_.file("allow.list");
    settings_.policy.block_file = folder_.file("block.list");
    settings_.policy.rules = {{.name = "LINKS", .condition = "links >= 1", .score = 1},
                              {.name = "QUIET",
                               .condition = "links >= 3 and subject.complaint >= 2 in 1d",
                               .score = 3,
                               .shadow = true}};
    fill_history();
    auto engine = storage::engine::Engine::open(settings_.storage.engine, clock_, logger_);
    check(engine.has_value());
    engine_ = *std::move(engine);
    check(
        storage::counters::make_counter_folder(settings_.counters.embedded.directory).has_value());
    auto counters = storage::open_counters(settings_.counters, clock_, random_, logger_, 0);
    check(counters.has_value());
    counters_ = *std::move(counters);
    auto buckets = storage::open_buckets(settings_.ratelimit, clock_, random_, logger_);
    check(buckets.has_value());
    buckets_ = *std::move(buckets);
    now_ = std::make_shared<const Settings>(settings_);
    auto scanner = judge::Scanner::open(now_, engine_.get(), clock_, random_);
    check(scanner.has_value());
    snapshot_.set(std::make_shared<const judge::Snapshot>(judge::Snapshot{*std::move(scanner)}));
    desk_.connect({.store = engine_.get(),
                   .counters = [this] { return counters_; },
                   .site = [] { return std::optional(CounterKeyBytes{5}); },
                   .label = [](std::uint64_t, std::optional<reports::ReportKind>) {},
                   .patience = {}});
    desk_.use(now_);
    hashes_.set_store(engine_.get(), engine_.get());
    system_.set_store(engine_.get());
    system_.set_state(api::SystemResource::State::kServing);
  }

  http::HttpReply answer(const http::HttpRequest& request) const {
    http::HttpReply reply = router_.answer(request);
    while (reply.later) reply = reply.later({});
    return reply;
  }

 private:
  void fill_history() {
    auto table = storage::sqlite::HistoryTable::open(folder_.file("history.db"));
    check(table.has_value());
    std::vector<storage::sqlite::HistoryRow> rows;
    const std::int64_t now = clock_.wall().time_since_epoch().count() * 1'000'000;
    for (std::uint64_t links = 0; links < 6; ++links) {
      history::MessageRecord record;
      record.features.set_number(features::Feature::kLinks, links);
      if (links >= 1) record.evidence.push_back({.symbol = "LINKS", .score = 1, .policy = true});
      rows.push_back({.time = now - 6 + static_cast<std::int64_t>(links),
                      .queue_id = "4XyzQ" + std::to_string(links),
                      .label = links == 5 ? std::uint8_t{1} : std::uint8_t{0},
                      .details = encode_record(record),
                      .sender_name = "a@example.org"});
    }
    check((*table)->write(rows, {}).has_value());
  }

  Result<api::SiteHistory> history() const {
    auto reader = storage::sqlite::HistoryReader::open(folder_.file("history.db"));
    if (!reader) return reader.error();
    return api::SiteHistory{*std::move(reader), CounterKeyBytes{5}};
  }

  std::vector<api::Route> routes() const {
    std::vector<api::Route> out;
    for (std::vector<api::Route> some :
         {bucket_.routes(), counter_.routes(), event_.routes(), file_.routes(), hash_list_.routes(),
          hashes_.routes(), lists_.routes(), message_hashes_.routes(), messages_.routes(),
          model_.routes(), overview_.routes(), reports_.routes(), rules_.routes(), scan_.routes(),
          session_.routes(), system_.routes()})
      out.insert(out.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    return out;
  }

  const std::function<Result<api::SiteHistory>()> open_ = [this] { return history(); };
  const std::function<std::shared_ptr<const Settings>()> settings_now_ = [this] { return now_; };

  shingled::testing::TemporaryDirectory folder_;
  SystemClock clock_;
  shingled::testing::SeededRandom random_{1};
  NullLogger logger_;
  MetricRegistry metrics_;
  Settings settings_;
  std::shared_ptr<const Settings> now_;
  std::unique_ptr<storage::engine::Engine> engine_;
  std::shared_ptr<storage::counters::CounterStore> counters_;
  std::shared_ptr<storage::buckets::BucketStore> buckets_;
  judge::CurrentSnapshot snapshot_;
  reports::ReportDesk desk_{clock_, random_, logger_};
  api::EventHub events_{clock_};

  const api::BucketResource bucket_{[this] { return buckets_; }, clock_};
  const api::CounterResource counter_{[this] { return api::SiteCounters{counters_, {5}}; }, clock_};
  const api::EventResource event_{events_, [] { return std::string("off"); }};
  const api::FileResource file_{
      [] { return std::shared_ptr<const storage::similar::SampleLibrary>(); }, settings_now_};
  const api::HashListResource hash_list_{folder_.file("hashes.db"), settings_now_,
                                         [] { return std::vector<storage::HitCount>(); }, clock_};
  api::HashResource hashes_{{settings_now_, open_, desk_, clock_, random_}};
  const api::ListResource lists_{settings_now_, open_, clock_};
  api::SystemResource system_{metrics_, clock_, 100};
  const api::MessageHashes message_hashes_{
      open_,
      [this](const Fingerprint& hash, std::size_t most) { return system_.matches_of(hash, most); },
      desk_};
  const api::MessageResource messages_{open_, desk_, clock_};
  const api::ModelResource model_{{.status = [] { return Json::object(); },
                                   .train = [] { return Status(); },
                                   .roll_back = [] { return Status(); },
                                   .set_live = [](bool) { return Status(); }}};
  const api::OverviewResource overview_{
      open_, metrics_, [](const MetricReport&) { return api::OverviewResource::Advice{}; }, clock_};
  const api::ReportResource reports_{desk_};
  const api::RuleResource rules_{
      {.rules = [this]() -> Result<api::SiteRules> {
         return api::SiteRules{now_, policy::policy_rules(*now_).rules, {}, {}};
       },
       .history = open_,
       .fired = [](const std::string&) { return std::uint64_t{0}; },
       .decide = [](const std::string&,
                    const std::optional<config::RuleDecision>&) { return Status(); }},
      clock_};
  const api::ScanResource scan_{
      snapshot_, [](std::uint64_t, const std::stop_token&) { return std::make_shared<int>(0); }};
  const api::SessionResource session_{[]() -> http::Access* { return nullptr; }, false};
  const api::Router router_{routes(), std::uint64_t{1} << 20U};
};

/// The next line without its end; takes it from the text.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// What the server would make of the request.
http::HttpRequest read_request(std::string_view text) {
  http::HttpRequest request;
  std::string_view line = next_line(text);
  const std::string_view method = line.substr(0, line.find(' '));
  request.method = method == "POST"     ? http::HttpMethod::kPost
                   : method == "DELETE" ? http::HttpMethod::kDelete
                                        : http::HttpMethod::kGet;
  request.head = method == "HEAD";
  line.remove_prefix(std::min(line.size(), method.size() + 1));
  std::string_view path = line.substr(0, line.find('?'));
  request.path = mime::percent_decoded(path);
  line.remove_prefix(path.size());
  while (!line.empty()) {
    line.remove_prefix(1);  // '?' or '&'
    const std::string_view one = line.substr(0, line.find('&'));
    line.remove_prefix(one.size());
    const std::size_t equals = std::min(one.find('='), one.size());
    request.arguments.emplace(mime::percent_decoded(one.substr(0, equals)),
                              mime::percent_decoded(one.substr(std::min(equals + 1, one.size()))));
  }
  request.caller.role = http::Role::kChange;
  for (line = next_line(text); !line.empty(); line = next_line(text)) {
    const std::size_t colon = std::min(line.find(": "), line.size());
    const std::string value(line.substr(std::min(colon + 2, line.size())));
    const std::string_view name = line.substr(0, colon);
    if (name == "Role") request.caller.role = http::parse_role(value).value_or(http::Role::kOff);
    if (name == "Content-Type") request.type = value;
    if (name == "Accept") request.accept = value;
    if (name == "If-None-Match") request.if_none_match = value;
    if (name == "Network") request.caller.network = value;
  }
  request.body = text;
  return request;
}

/// A reply as a client gets it.
void check_reply(const http::HttpRequest& request, http::HttpReply reply) {
  check(reply.status >= 200 && reply.status < 600);
  check(reply.type.find_first_of("\r\n") == std::string::npos);
  for (const auto& [name, value] : reply.headers)
    check(name.find_first_of("\r\n:") == std::string::npos &&
          value.find_first_of("\r\n") == std::string::npos);
  constexpr int kPiecesMost = 1000;
  bool whole = true;
  for (int i = 0; reply.more && i < kPiecesMost; ++i) {
    const auto piece = reply.more();
    whole = piece.has_value();
    if (!whole || piece->empty()) break;
    reply.body += *piece;
  }
  if (reply.events != nullptr || request.head) return;
  const bool is_json =
      reply.type.find("json") != std::string::npos && reply.type.find("jsonl") == std::string::npos;
  if (is_json && whole && !reply.body.empty())
    check(!nlohmann::json::parse(reply.body, nullptr, /*allow_exceptions=*/false).is_discarded());
  if (reply.status < 400) return;
  const auto problem = nlohmann::json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  // Whether it serves is said in one word.
  if (request.path == "/readyz" || request.path == "/healthz") return;
  check(problem.is_object() && problem.value("status", 0U) == reply.status);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Site site;
  const http::HttpRequest request = read_request({reinterpret_cast<const char*>(data), size});
  check_reply(request, site.answer(request));
  return 0;
}
