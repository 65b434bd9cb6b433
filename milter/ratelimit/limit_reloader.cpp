#include "milter/ratelimit/limit_reloader.h"

#include <utility>

#include "config/list_file.h"
#include "storage/open_store.h"

namespace shingled::milter::ratelimit {

namespace {

/// Moves parsed entries to `out`, or returns the error with the path.
template <typename Entry>
Status put(Result<std::vector<Entry>> parsed, const std::string& path, std::vector<Entry>& out) {
  if (!parsed) return parsed.error().in(path);
  out = *std::move(parsed);
  return {};
}

template <typename Entry>
void append_entries(const std::vector<Entry>& from, std::vector<Entry>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Result<MailLimitOptions> LimitLists::read(const MailLimitOptions& options) {
  MailLimitOptions out = options;
  faults_.clear();
  files_.begin();
  for (const Kind kind : {Kind::kNetworks, Kind::kRecipients}) {
    const bool networks = kind == Kind::kNetworks;
    const auto& paths = networks ? options.whitelisted_ip_files : options.whitelisted_rcpts_files;
    for (const std::string& path : paths) {
      const auto content = files_.get(kind, path);
      if (!content) {
        faults_.push_back({networks ? "ratelimit.whitelisted_ip" : "ratelimit.whitelisted_rcpts",
                           content.error()});
        continue;
      }
      append_entries((*content)->networks, out.whitelisted_ip);
      append_entries((*content)->recipients, out.whitelisted_rcpts);
    }
  }
  if (!faults_.empty()) return faults_.front().error.in(faults_.front().option);
  files_.end();
  return out;
}

Result<LimitLists::Files::Parsed> LimitLists::parse(Kind kind, const std::string& path) {
  const auto file = read_whole_file(path, config::kListBytesMax);
  if (!file) return file.error();
  Content content;
  const Status status = kind == Kind::kNetworks
                            ? put(config::parse_networks(file->text), path, content.networks)
                            : put(config::parse_recipients(file->text), path, content.recipients);
  if (!status) return status.error();
  const std::size_t entries = content.networks.size() + content.recipients.size();
  return Files::Parsed{file->stamp, std::move(content), entries};
}

Status LimitReloader::use(const MailLimitOptions& options) {
  auto prepared = prepare(options);
  if (!prepared) return prepared.error();
  use(*std::move(prepared));
  return {};
}

Result<LimitReloader::Prepared> LimitReloader::prepare(const MailLimitOptions& options) {
  auto complete = lists_.read(options);
  if (!complete) return complete.error();
  Prepared prepared{options, *std::move(complete), store()};
  if (options.enabled() && prepared.store == nullptr) {
    auto opened = storage::open_buckets(options, clock_, random_, logger_);
    if (!opened) return opened.error();
    prepared.store = *std::move(opened);
  }
  return prepared;
}

void LimitReloader::use(Prepared prepared) {
  lists_.accept();
  *store_.lock() = prepared.store;
  options_ = std::move(prepared.options);
  current_.set(options_.enabled()
                   ? std::make_shared<const MailLimiter>(
                         std::move(prepared.complete), std::move(prepared.store), clock_, counters_)
                   : nullptr);
}

bool LimitReloader::refresh() {
  if (!lists_.changed()) return false;
  const Status status = use(options_);
  if (!status) logger_.error(LogLine("limits_kept").field("why", status.error().message));
  return status.has_value();
}

void LimitReloader::close() {
  current_.set(nullptr);
  store_.lock()->reset();
}

void LimitReloader::report(MetricReport& report) const {
  const auto buckets = store();
  if (buckets == nullptr) return;
  counters_.report(report);
  buckets->report(report);
}

}  // namespace shingled::milter::ratelimit
