#include "storage/sqlite/report_table.h"

#include <algorithm>
#include <utility>

#include "storage/sqlite/report_schema.h"
#include "storage/sqlite/report_statements.h"
#include "storage/sqlite/shingle_set.h"
#include "storage/sqlite/statements.h"

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
  return std::unique_ptr<ReportTable>(new ReportTable(
      *std::move(file), std::make_unique<ReportStatements>(*std::move(statements))));
}

ReportTable::ReportTable(OwnedFile file, std::unique_ptr<ReportStatements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

ReportTable::~ReportTable() = default;

Result<ReportOutcome> ReportTable::add(const ReportRow& row, const Weigh& weigh) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  ReportOutcome out;
  std::optional<ReportKind> before;
  std::int64_t counted = 0;
  statements_->find_report.bind(1, signed_name(row.message)).bind(2, signed_name(row.reporter));
  Status done = for_each_row(statements_->find_report, [&](const Statement& found) {
    before = kind_of(found.integer(0));
    counted = found.integer(1);
  });
  if (!done) return done.error();
  std::vector<std::int64_t> touched;
  if (before == row.kind) {
    out.what = ReportOutcome::What::kSame;
  } else {
    out.what = before ? ReportOutcome::What::kTurned : ReportOutcome::What::kNew;
    if (done = note_reporter(row, !before); !done) return done.error();
    // Who was counted once stays so, also where he takes it back.
    counted = counted == 0 ? 0 : kOppositeCounted;
    if (done = settle(row, before, counted); !done) return done.error();
    if (done = drop_links(row, touched); !done) return done.error();
    if (done = link(row, touched); !done) return done.error();
  }
  out.counted = {(counted & kWholeCounted) != 0, (counted & kPiecesCounted) != 0,
                 (counted & kOppositeCounted) != 0};
  statements_->find_message.bind(1, signed_name(row.message));
  done = for_each_row(statements_->find_message, [&](const Statement& found) {
    out.newcomers = static_cast<std::uint64_t>(found.integer(2));
  });
  if (!done) return done.error();
  auto standing = reporter(row.reporter);
  if (!standing) return standing.error();
  out.reporter = *standing;
  if (weigh) {
    if (done = weigh_all(touched, weigh, out.changes); !done) return done.error();
  }
  if (done = transaction->commit(); !done) return done.error();
  return out;
}

Status ReportTable::note_reporter(const ReportRow& row, bool is_new) {
  return statements_->put_reporter.bind(1, signed_name(row.reporter))
      .bind(2, std::int64_t{is_new ? 1 : 0})
      .bind(3, row.time)
      .run();
}

/// Stores the report, and brings up to date how far others agree with those who reported it.
Status ReportTable::settle(const ReportRow& row, std::optional<ReportKind> before,
                           std::int64_t counted) {
  std::int64_t spam = 0;
  std::int64_t ham = 0;
  statements_->find_message.bind(1, signed_name(row.message));
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
    done = statements_->judge_others.bind(1, signed_name(row.message))
               .bind(2, number_of(kind))
               .bind(3, signed_name(row.reporter))
               .bind(4, change(was, is, 1))
               .bind(5, change(was, is, -1))
               .run();
    if (!done) return done;
  }
  const int was = before ? outcome_of(*before, spam, ham) : 0;
  const int is = outcome_of(row.kind, new_spam, new_ham);
  done = statements_->judge_reporter.bind(1, signed_name(row.reporter))
             .bind(2, change(was, is, 1))
             .bind(3, change(was, is, -1))
             .run();
  if (!done) return done;
  done = statements_->put_report.bind(1, signed_name(row.message))
             .bind(2, signed_name(row.reporter))
             .bind(3, number_of(row.kind))
             .bind(4, row.time)
             .bind(5, counted)
             .run();
  if (!done) return done;
  return statements_->put_message.bind(1, signed_name(row.message))
      .bind(2, new_spam)
      .bind(3, new_ham)
      .bind(4, row.time)
      .run();
}

Result<std::vector<std::int64_t>> ReportTable::links_of(std::uint64_t message,
                                                        std::uint64_t reporter) {
  std::vector<std::int64_t> out;
  statements_->links_of_report.bind(1, signed_name(message)).bind(2, signed_name(reporter));
  Status done = for_each_row(statements_->links_of_report,
                             [&](const Statement& found) { out.push_back(found.integer(0)); });
  if (!done) return done.error();
  return out;
}

Status ReportTable::drop_links(const ReportRow& row, std::vector<std::int64_t>& touched) {
  auto links = links_of(row.message, row.reporter);
  if (!links) return links.error();
  touched = *std::move(links);
  return statements_->drop_links.bind(1, signed_name(row.message))
      .bind(2, signed_name(row.reporter))
      .run();
}

Status ReportTable::link(const ReportRow& row, std::vector<std::int64_t>& touched) {
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
    if (!done) return done;
    done = statements_->put_link.bind(1, id)
               .bind(2, signed_name(row.reporter))
               .bind(3, signed_name(row.message))
               .bind(4, number_of(row.kind))
               .run();
    if (!done) return done;
    touched.push_back(id);
  }
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return {};
}

Status ReportTable::weigh_all(std::span<const std::int64_t> ids, const Weigh& weigh,
                              std::vector<HashChange>& changes) {
  for (const std::int64_t id : ids) {
    auto found = find_hash(id);
    if (!found) return found.error();
    if (!*found) continue;
    HashChange& change = **found;
    const auto supporters = supporters_of(id);
    if (!supporters) return supporters.error();
    const auto weight = weigh(change.hash, *supporters);
    if (!weight) return weight.error();
    if (weight->wanted == change.taught && change.wanted == change.taught) continue;
    change.wanted = weight->wanted;
    change.seen = weight->seen;
    Status done = statements_->want.bind(1, id)
                      .bind(2, std::int64_t{change.wanted})
                      .bind(3, std::int64_t{change.seen})
                      .run();
    if (!done) return done;
    changes.push_back(std::move(change));
  }
  return {};
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

Result<std::vector<Supporter>> ReportTable::supporters_of(std::int64_t hash) {
  std::vector<Supporter> out;
  Status done = for_each_row(statements_->supporters.bind(1, hash),
                             [&](const Statement& row) { out.push_back(supporter_of(row)); });
  if (!done) return done.error();
  return out;
}

Result<ReporterRow> ReportTable::reporter(std::uint64_t name) {
  ReporterRow out;
  Status done = for_each_row(statements_->find_reporter.bind(1, signed_name(name)),
                             [&](const Statement& row) { out = reporter_of(row); });
  if (!done) return done.error();
  return out;
}

}  // namespace shingled::storage::sqlite
