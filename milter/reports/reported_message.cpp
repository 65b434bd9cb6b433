#include "milter/reports/reported_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "config/base/ascii.h"
#include "milter/counters/counted_hashes.h"
#include "milter/counters/message_id.h"
#include "milter/counters/message_origin.h"
#include "milter/counters/message_pieces.h"
#include "milter/reports/message_shape.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/message/header_block.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/text_collector.h"

namespace shingled::milter::reports {

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
  std::ranges::remove_copy(body, std::back_inserter(text), '\r');
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

std::vector<TaughtRule> taught_rules(const Settings& settings) {
  std::vector<TaughtRule> out;
  if (!settings.storage.enabled) return out;
  const ReportOptions& reports = settings.reports;
  for (const RuleOptions& rule : settings.rules) {
    if (rule.remote.is_remote() || rule.read_only) continue;
    TaughtRule taught{mime::HashRule(rule.hash), {}};
    const auto spam = rule.flags.number(reports.spam.flag);
    const auto ham = rule.flags.number(reports.ham.flag);
    if (spam && reports.spam.weight > 0)
      taught.lists.push_back(
          {{}, *spam, reports.spam.weight, ham == spam ? reports.ham.weight : 0});
    if (!reports.ham_also.empty()) {
      const auto also = rule.flags.number(reports.ham_also);
      if (also && also != spam) taught.lists.push_back({{}, *also, 0, kWantedWeight});
    }
    if (!taught.lists.empty()) out.push_back(std::move(taught));
  }
  return out;
}

ReportedMessage read_reported(std::string_view bytes, const CounterKeyBytes& site,
                              const Settings& settings, std::span<const TaughtRule> rules) {
  ReportedMessage out;
  const auto header = mime::split_header_block(bytes, settings.mime);
  const std::string_view message_id = counters::message_id_of(header.fields);
  out.name =
      reported_id(site, message_id, bytes.substr(std::min(header.body_begin, bytes.size())), bytes);
  out.history_id = counters::history_id(site, message_id);
  const auto origin = counters::origin_of(header.fields, settings.milter.local_networks);
  if (!origin.envelope.user.empty()) out.direction = storage::counters::Direction::kOut;

  const mime::Analysis analysis = mime::analyze(bytes, settings.mime);
  mime::WorkMeter work(mime::steps_for(bytes.size(), settings.mime.work_max));
  const PieceOptions& options = settings.counters.pieces;
  mime::TextCollector texts(analysis, options, work);
  std::vector<mime::HashRule> all = {mime::HashRule(counters::counted_text_options()),
                                     mime::HashRule(counters::counted_structure_options())};
  for (const TaughtRule& rule : rules) all.push_back(rule.hash);
  const mime::MessageHashes hashes = mime::hash_message(
      analysis, all,
      [&](std::size_t part, const mime::TextStages& text) { texts.add(part, text); });
  const auto counted = counters::counted_hashes(hashes.of_rule[0], hashes.of_rule[1]);
  out.pieces = counters::message_pieces({.bytes = bytes,
                                         .analysis = analysis,
                                         .hashes = counted,
                                         .texts = &texts,
                                         .local = &settings.milter.local_networks},
                                        origin.envelope, options, work)
                   .pieces;
  std::set<std::pair<Digest, std::uint32_t>> seen;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    std::vector<mime::PartHash> of_rule = hashes.of_rule[i + 2];
    std::erase_if(of_rule, [](const mime::PartHash& hash) { return hash.quoted; });
    if (auto why = common_property(bytes, analysis, of_rule)) {
      out.not_taught = *std::move(why);
    } else {
      add_hashes(most_telling_first(own_hashes(of_rule)), rules[i], seen, out.hashes);
      for (const mime::PartHash& hash : of_rule)
        if (is_file(hash)) out.files.insert(hash.fingerprint.digest);
    }
  }
  return out;
}

}  // namespace shingled::milter::reports
