#include "storage/sqlite/reports/report_table.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/reports/report_statements.h"

namespace shingled::storage::sqlite {

namespace {

/// 1: more others stand on the reporter's side, -1: on the other one, 0: neither.
int outcome_of(ReportKind kind, std::int64_t spam, std::int64_t ham) {
  const std::int64_t with = (kind == ReportKind::kSpam ? spam : ham) - 1;
  const std::int64_t against = kind == ReportKind::kSpam ? ham : spam;
  if (with == against) return 0;
  return with > against ? 1 : -1;
}

}  // namespace

Result<std::unique_ptr<ReportTable>> ReportTable::open(const std::string& path,
                                                       std::uint64_t site) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  if (Status prepared = prepare_reports(*file->database, static_cast<std::int64_t>(site));
      !prepared)
    return prepared.error();
  auto statements = prepare_report_statements(*file->database);
  if (!statements) return statements.error();
  auto index = CaseIndex::open(*file->database);
  if (!index) return index.error();
  auto feed = ChangeFeed::open(*file->database);
  if (!feed) return feed.error();
  return std::unique_ptr<ReportTable>(
      new ReportTable(*std::move(file), std::make_unique<ReportStatements>(*std::move(statements)),
                      *std::move(index), *std::move(feed)));
}

ReportTable::ReportTable(OwnedFile file, std::unique_ptr<ReportStatements> statements,
                         CaseIndex index, ChangeFeed feed)
    : file_(std::move(file)),
      statements_(std::move(statements)),
      index_(std::move(index)),
      feed_(std::move(feed)) {}

ReportTable::~ReportTable() = default;

std::vector<std::int64_t> ReportTable::Touched::all() const {
  std::vector<std::int64_t> out = own;
  out.insert(out.end(), replaced.begin(), replaced.end());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<ReportOutcome> ReportTable::add(const ReportRow& row, const Weigh& weigh) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  ReportOutcome out;
  std::int64_t counted = 0;
  Touched touched;
  const auto what = take(row, counted, touched);
  if (!what) return what.error();
  out.what = *what;
  const auto decided = decide(touched.own, row.ruling);
  if (!decided) return decided.error();
  out.counted = {(counted & kWholeCounted) != 0, (counted & kPiecesCounted) != 0,
                 (counted & kOppositeCounted) != 0};
  statements_->find_message.bind(1, signed_id(row.message));
  Status done = for_each_row(statements_->find_message, [&](const Statement& found) {
    out.newcomers = static_cast<std::uint64_t>(found.integer(2));
  });
  if (!done) return done.error();
  auto standing = reporter(row.reporter);
  if (!standing) return standing.error();
  out.reporter = *standing;
  if (weigh && (out.what != ReportOutcome::What::kSame || *decided)) {
    if (done = weigh_all(touched.all(), weigh, out.changes); !done) return done.error();
  }
  if (done = transaction->commit(); !done) return done.error();
  return out;
}

/// Puts the report in the place of the one before it, with its hashes.
Result<ReportOutcome::What> ReportTable::take(const ReportRow& row, std::int64_t& counted,
                                              Touched& touched) {
  std::optional<ReportKind> before;
  statements_->find_report.bind(1, signed_id(row.message)).bind(2, signed_id(row.reporter));
  Status done = for_each_row(statements_->find_report, [&](const Statement& found) {
    before = kind_of(found.integer(0));
    counted = found.integer(1);
  });
  if (!done) return done.error();
  for (const std::int64_t hash : row.deleted) {
    done = statements_->withdraw.bind(1, hash).run();
    if (done) done = statements_->disown.bind(1, hash).bind(2, std::int64_t{0}).run();
    if (!done) return done.error();
  }
  if (before == row.kind) {
    auto links = links_of(row.message, row.reporter);
    if (!links) return links.error();
    touched.own = *std::move(links);
    return ReportOutcome::What::kSame;
  }
  if (done = note_reporter(row, !before); !done) return done.error();
  // Who was counted once stays so, also after taking it back.
  counted = counted == 0 ? 0 : kOppositeCounted;
  if (done = settle(row, before, counted); !done) return done.error();
  auto replaced = links_of(row.message, row.reporter);
  if (!replaced) return replaced.error();
  touched.replaced = *std::move(replaced);
  done = statements_->drop_links.bind(1, signed_id(row.message))
             .bind(2, signed_id(row.reporter))
             .run();
  if (!done) return done.error();
  auto own = link(row);
  if (!own) return own.error();
  touched.own = *std::move(own);
  return before ? ReportOutcome::What::kTurned : ReportOutcome::What::kNew;
}

Status ReportTable::note_reporter(const ReportRow& row, bool is_new) {
  Status done = statements_->put_reporter.bind(1, signed_id(row.reporter))
                    .bind(2, std::int64_t{is_new ? 1 : 0})
                    .bind(3, row.time)
                    .run();
  if (!done || !row.resident) return done;
  return statements_->note_resident.bind(1, signed_id(row.reporter))
      .bind(2, std::int64_t{*row.resident ? 1 : 0})
      .run();
}

/// Stores the report, and brings up to date how far others agree with those who reported it.
Status ReportTable::settle(const ReportRow& row, std::optional<ReportKind> before,
                           std::int64_t counted) {
  std::int64_t spam = 0;
  std::int64_t ham = 0;
  statements_->find_message.bind(1, signed_id(row.message));
  Status done = for_each_row(statements_->find_message, [&](const Statement& found) {
    spam = found.integer(0);
    ham = found.integer(1);
  });
  if (!done) return done;
  const bool is_spam = row.kind == ReportKind::kSpam;
  const std::int64_t new_spam = spam + (is_spam ? 1 : before ? -1 : 0);
  const std::int64_t new_ham = ham + (is_spam ? (before ? -1 : 0) : 1);
  const auto change = [](int was, int is, int which) {
    return std::int64_t{(is == which ? 1 : 0) - (was == which ? 1 : 0)};
  };
  for (const ReportKind kind : {ReportKind::kSpam, ReportKind::kHam}) {
    const int was = outcome_of(kind, spam, ham);
    const int is = outcome_of(kind, new_spam, new_ham);
    if (was == is) continue;
    done = statements_->judge_others.bind(1, signed_id(row.message))
               .bind(2, number_of(kind))
               .bind(3, signed_id(row.reporter))
               .bind(4, change(was, is, 1))
               .bind(5, change(was, is, -1))
               .run();
    if (!done) return done;
  }
  const int was = before ? outcome_of(*before, spam, ham) : 0;
  const int is = outcome_of(row.kind, new_spam, new_ham);
  done = statements_->judge_reporter.bind(1, signed_id(row.reporter))
             .bind(2, change(was, is, 1))
             .bind(3, change(was, is, -1))
             .run();
  if (!done) return done;
  done = statements_->put_report.bind(1, signed_id(row.message))
             .bind(2, signed_id(row.reporter))
             .bind(3, number_of(row.kind))
             .bind(4, row.time)
             .bind(5, counted)
             .run();
  if (!done) return done;
  return statements_->put_message.bind(1, signed_id(row.message))
      .bind(2, new_spam)
      .bind(3, new_ham)
      .bind(4, row.time)
      .run();
}

Result<std::vector<std::int64_t>> ReportTable::links_of(std::uint64_t message,
                                                        std::uint64_t reporter) {
  return ids_of(
      statements_->links_of_report.bind(1, signed_id(message)).bind(2, signed_id(reporter)));
}

Result<std::vector<std::int64_t>> ReportTable::ids_of(Statement& statement) {
  std::vector<std::int64_t> out;
  Status done =
      for_each_row(statement, [&](const Statement& row) { out.push_back(row.integer(0)); });
  if (!done) return done.error();
  return out;
}

Result<std::vector<std::int64_t>> ReportTable::link(const ReportRow& row) {
  std::vector<std::int64_t> out;
  for (const ReportedHash& hash : row.hashes) {
    ShingleSet shingles{};
    if (hash.fingerprint.shingles) shingles = encode_shingles(*hash.fingerprint.shingles);
    Statement& put = statements_->put_hash;
    put.bind(1, BytesView(hash.fingerprint.digest.bytes))
        .bind(2, std::int64_t{hash.flag})
        .bind(3, hash.fingerprint.shingles ? std::optional(BytesView(shingles)) : std::nullopt)
        .bind(4, std::int64_t{hash.per_spam})
        .bind(5, std::int64_t{hash.per_ham});
    std::int64_t id = 0;
    Status done = for_each_row(put, [&](const Statement& made) { id = made.integer(0); });
    if (done && hash.fingerprint.shingles)
      done = index_.put(id, hash.flag, *hash.fingerprint.shingles);
    if (!done) return done.error();
    done = statements_->put_link.bind(1, id)
               .bind(2, signed_id(row.reporter))
               .bind(3, signed_id(row.message))
               .bind(4, number_of(row.kind))
               .run();
    if (!done) return done.error();
    out.push_back(id);
  }
  return out;
}

Result<bool> ReportTable::decide(std::span<const std::int64_t> hashes, Ruling ruling) {
  if (ruling == Ruling::kNone) return false;
  std::vector<std::int64_t> meant(hashes.begin(), hashes.end());
  if (ruling == Ruling::kReopens) {
    auto all = with_matching(std::move(meant), kCaseHashesMax);
    if (!all) return all.error();
    meant = *std::move(all);
  }
  bool changed = false;
  for (const std::int64_t hash : meant) {
    Status done = statements_->decide.bind(1, hash)
                      .bind(2, std::int64_t{ruling == Ruling::kCloses ? 1 : 0})
                      .run();
    if (!done) return done.error();
    if (file_.database->changed_rows() == 0 || std::exchange(changed, true)) continue;
    if (done = note_ruling(hash, ruling); !done) return done.error();
  }
  return changed;
}

Status ReportTable::note_ruling(std::int64_t hash, Ruling ruling) {
  const auto found = find_hash(hash);
  if (!found) return found.error();
  if (!*found) return {};
  ReportChange change;
  change.what =
      ruling == Ruling::kCloses ? ReportChange::What::kClosed : ReportChange::What::kReopened;
  change.digest = (*found)->hash.fingerprint.digest;
  change.value = (*found)->hash.flag;
  return feed_.add(change);
}

Result<std::vector<std::int64_t>> ReportTable::with_matching(std::vector<std::int64_t> hashes,
                                                             std::size_t most) {
  const std::set<std::int64_t> own(hashes.begin(), hashes.end());
  std::set<std::int64_t, std::greater<>> others;  // the newest first
  for (const std::int64_t hash : own) {
    const auto matching = index_.matching(hash);
    if (!matching) return matching.error();
    for (const std::int64_t other : *matching)
      if (!own.contains(other)) others.insert(other);
  }
  for (const std::int64_t other : others) {
    if (most-- == 0) break;
    hashes.push_back(other);
  }
  return hashes;
}

Status ReportTable::weigh_all(std::vector<std::int64_t> own, const Weigh& weigh,
                              std::vector<HashChange>& changes) {
  const std::size_t always = own.size() + kWeighedMax;
  const auto all = with_matching(std::move(own), kFallingMax);
  if (!all) return all.error();
  Facts facts;
  bool falls = false;
  for (std::size_t i = 0; i < all->size() && (i < always || falls); ++i) {
    const std::size_t before = changes.size();
    if (Status done = weigh_one((*all)[i], weigh, facts, changes); !done) return done;
    falls = falls || (changes.size() > before && changes.back().wanted < changes.back().taught);
  }
  return {};
}

Status ReportTable::weigh_one(std::int64_t id, const Weigh& weigh, Facts& facts,
                              std::vector<HashChange>& changes) {
  auto found = find_hash(id);
  if (!found) return found.error();
  if (!*found) return {};
  HashChange& change = **found;
  // What no report has any more is not taught, whatever it matches.
  const auto linked = has_links(id);
  if (!linked) return linked.error();
  if (!*linked && change.taught == 0 && change.wanted == 0) return drop_hash(change);
  const auto said = case_of(id, facts);
  if (!said) return said.error();
  change.hash.closed = said->closed;
  auto weight = weigh(change.hash, said->people);
  if (!weight) return weight.error();
  if (!*linked) weight->wanted = 0;
  if (change.taught > 0 && weight->seen == 0 && weight->wanted > 0) return {};  // deleted
  return want(change, *weight, changes);
}

Status ReportTable::want(HashChange& change, const WantedWeight& weight,
                         std::vector<HashChange>& changes) {
  if (weight.wanted == change.taught && change.wanted == change.taught) return {};
  change.wanted = weight.wanted;
  change.seen = weight.seen;
  Status done = statements_->want.bind(1, change.id)
                    .bind(2, std::int64_t{change.wanted})
                    .bind(3, std::int64_t{change.seen})
                    .run();
  if (!done) return done;
  changes.push_back(change);
  if (change.taught <= 0 || change.wanted > 0) return {};
  ReportChange withdrawn;
  withdrawn.what = ReportChange::What::kWithdrawn;
  withdrawn.digest = change.hash.fingerprint.digest;
  withdrawn.value = change.hash.flag;
  return feed_.add(withdrawn);
}

Result<std::optional<HashChange>> ReportTable::find_hash(std::int64_t id) {
  std::optional<HashChange> out;
  Status done =
      for_each_row(statements_->find_hash.bind(1, id), [&](const Statement& row) -> Status {
        auto found = hash_of(row, file_.database->path());
        if (!found) return found.error();
        out = *std::move(found);
        return {};
      });
  if (!done) return done.error();
  return out;
}

Result<const ReportTable::HashFacts*> ReportTable::facts_of(std::int64_t hash, Facts& facts) {
  const auto [entry, is_new] = facts.try_emplace(hash);
  HashFacts& out = entry->second;
  if (!is_new) return &out;
  Status done = for_each_row(statements_->is_closed.bind(1, hash),
                             [&](const Statement& row) { out.closed = row.integer(0) != 0; });
  if (done) {
    done = for_each_row(statements_->reports_of_hash.bind(1, hash), [&](const Statement& row) {
      out.words.push_back({supporter_of(row), row.integer(8)});
    });
  }
  if (!done) return done.error();
  return &out;
}

Result<ReportTable::CaseOfHash> ReportTable::case_of(std::int64_t hash, Facts& facts) {
  auto members = index_.matching(hash);
  if (!members) return members.error();
  members->push_back(hash);
  CaseOfHash out;
  std::map<std::uint64_t, const Word*> last;  // by person
  for (const std::int64_t member : *members) {
    const auto known = facts_of(member, facts);
    if (!known) return known.error();
    out.closed = out.closed || (*known)->closed;
    for (const Word& word : (*known)->words) {
      const Word*& newest = last[word.supporter.reporter.name];
      if (newest == nullptr || newest->turn < word.turn) newest = &word;
    }
  }
  for (const auto& [name, word] : last) out.people.push_back(word->supporter);
  return out;
}

Result<ReporterRow> ReportTable::reporter(std::uint64_t name) {
  ReporterRow out;
  Status done = for_each_row(statements_->find_reporter.bind(1, signed_id(name)),
                             [&](const Statement& row) { out = reporter_of(row); });
  if (!done) return done.error();
  return out;
}

}  // namespace shingled::storage::sqlite
