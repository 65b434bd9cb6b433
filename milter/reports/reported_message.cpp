#include "milter/reports/reported_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/base/ascii.h"
#include "milter/counters/counted_keys.h"
#include "milter/counters/message_origin.h"
#include "milter/reports/message_shape.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::milter::reports {

using storage::counters::Direction;
using storage::counters::Pair;
using storage::sqlite::ReportedHash;

namespace {

/// A list of this rule gets this weight of one reporter of wanted mail.
constexpr std::int32_t kWantedWeight = 1;

/// 0 for a text of the body, 1 for another text, 2 for a file.
int rank_of(const mime::PartHash& hash) {
  const bool text = hash.kind == mime::PartKind::kText || hash.kind == mime::PartKind::kHtml ||
                    hash.kind == mime::PartKind::kRobust ||
                    hash.kind == mime::PartKind::kHtmlStructure;
  if (!text) return 2;
  return hash.place == mime::PartPlace::kBody ? 0 : 1;
}

bool is_file(const mime::PartHash& hash) {
  return hash.kind == mime::PartKind::kAttachment || hash.kind == mime::PartKind::kImage;
}

/// Texts as they come, those of the body first, then files by size.
std::vector<mime::PartHash> most_telling_first(std::vector<mime::PartHash> hashes) {
  std::ranges::stable_sort(hashes, [](const mime::PartHash& a, const mime::PartHash& b) {
    const int rank = rank_of(a);
    if (rank != rank_of(b)) return rank < rank_of(b);
    return rank == 2 && a.bytes > b.bytes;
  });
  return hashes;
}

/// The hashes of a rule on its lists; those that are there already are left out.
void add_hashes(std::span<const mime::PartHash> hashes, const TaughtRule& rule,
                std::set<std::pair<Digest, std::uint32_t>>& seen, std::vector<ReportedHash>& out) {
  for (const mime::PartHash& hash : hashes) {
    for (const ReportedHash& list : rule.lists) {
      if (out.size() == kReportedHashesMax) return;
      if (!seen.emplace(hash.fingerprint.digest, list.flag).second) continue;
      out.push_back(list);
      out.back().fingerprint = hash.fingerprint;
    }
  }
}

}  // namespace

std::uint64_t reported_id(const CounterKeyBytes& site, std::string_view message_id,
                          std::string_view body, std::string_view bytes) {
  if (message_id.empty()) return fingerprint::siphash(site, bytes);
  std::string text = fmt::format("reported:{}:{}:", message_id.size(), message_id);
  const std::size_t last = body.find_last_not_of("\r\n");
  body = body.substr(0, last == std::string_view::npos ? 0 : last + 1);
  text.reserve(text.size() + body.size());
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = body.find('\r');
    text += body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
  }
  return fingerprint::siphash(site, text);
}

std::uint64_t reporter_id(const CounterKeyBytes& site, std::string_view mailbox) {
  return fingerprint::siphash(site, "reporter:" + ascii::to_lower(mailbox));
}

std::uint64_t site_id(const CounterKeyBytes& site) { return reporter_id(site, ""); }

bool is_reporter(std::string_view name) {
  return !name.empty() && name.size() <= kReporterBytesMax &&
         std::ranges::none_of(
             name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

std::vector<TaughtRule> taught_rules(const Settings& settings, judge::ViewPlan& plan) {
  std::vector<TaughtRule> out;
  const ReportOptions& reports = settings.reports;
  for (const RuleOptions& rule : settings.rules) {
    if (!settings.storage.enabled || rule.remote.is_remote() || rule.read_only) continue;
    TaughtRule taught;
    const auto spam = rule.flags.number(reports.spam.flag);
    const auto ham = rule.flags.number(reports.ham.flag);
    if (spam && reports.spam.weight > 0)
      taught.lists.push_back(
          {{}, *spam, reports.spam.weight, ham == spam ? reports.ham.weight : 0});
    if (!reports.ham_also.empty()) {
      const auto also = rule.flags.number(reports.ham_also);
      if (also && also != spam) taught.lists.push_back({{}, *also, 0, kWantedWeight});
    }
    if (taught.lists.empty()) continue;
    taught.place = plan.add(rule.hash);
    out.push_back(std::move(taught));
  }
  return out;
}

TaughtRules taught_rules(const Settings& settings) {
  TaughtRules out{judge::ViewPlan(settings), {}};
  out.rules = taught_rules(settings, out.plan);
  out.plan.add_counted();
  return out;
}

std::vector<Pair> reported_keys(std::vector<Pair> keys) {
  std::ranges::sort(keys, {}, &Pair::key);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

ReportedMessage reported_message(const judge::MessageView& view,
                                 std::span<const mime::HeaderField> fields, std::vector<Pair> keys,
                                 Direction direction, const CounterKeyBytes& site,
                                 std::span<const TaughtRule> rules) {
  ReportedMessage out;
  const std::string_view message_id = counters::message_id_of(fields);
  out.name = reported_id(site, message_id, view.body(), view.bytes());
  out.history_id = counters::history_id(site, message_id);
  out.direction = direction;
  out.keys = reported_keys(std::move(keys));

  std::set<std::pair<Digest, std::uint32_t>> seen;
  for (const TaughtRule& rule : rules) {
    std::vector<mime::PartHash> of_rule = view.asked()[rule.place];
    std::erase_if(of_rule, [](const mime::PartHash& hash) { return hash.quoted; });
    if (auto why = common_property(fields, view.analysis(), of_rule)) {
      out.not_taught = *std::move(why);
    } else {
      add_hashes(most_telling_first(own_hashes(of_rule)), rule, seen, out.hashes);
      for (const mime::PartHash& hash : of_rule)
        if (is_file(hash)) out.files.insert(hash.fingerprint.digest);
    }
  }
  return out;
}

ReportedMessage read_reported(std::string_view bytes, const CounterKeyBytes& site,
                              const TaughtRules& taught) {
  judge::MessageView view(bytes, taught.plan);
  view.hash(judge::MessageView::Want::kPieces);
  const auto& fields = view.header().fields;
  const auto origin = counters::origin_of(fields, taught.plan.local());
  const Direction direction = origin.envelope.user.empty() ? Direction::kIn : Direction::kOut;
  const auto pieces = view.pieces(origin.envelope).pieces;
  return reported_message(view, fields, counters::keys_of(site, direction, pieces), direction, site,
                          taught.rules);
}

}  // namespace shingled::milter::reports
