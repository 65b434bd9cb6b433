#include "storage/sqlite/report_table.h"

#include <algorithm>
#include <utility>

#include "storage/sqlite/report_schema.h"
#include "storage/sqlite/shingle_set.h"
#include "storage/sqlite/statements.h"

namespace shingled::storage::sqlite {

namespace {

std::int64_t as_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::uint64_t as_unsigned(std::int64_t number) { return static_cast<std::uint64_t>(number); }
std::int64_t number_of(ReportKind kind) { return static_cast<std::int64_t>(kind); }
ReportKind kind_of(std::int64_t number) {
  return number == 0 ? ReportKind::kHam : ReportKind::kSpam;
}

/// 1: more others stand on the reporter's side, -1: on the other one, 0: neither.
int outcome_of(ReportKind kind, std::int64_t spam, std::int64_t ham) {
  const std::int64_t with = (kind == ReportKind::kSpam ? spam : ham) - 1;
  const std::int64_t against = kind == ReportKind::kSpam ? ham : spam;
  if (with == against) return 0;
  return with > against ? 1 : -1;
}

ReporterRow reporter_of(const Statement& row) {
  return {as_unsigned(row.integer(0)),
          as_unsigned(row.integer(1)),
          as_unsigned(row.integer(2)),
          as_unsigned(row.integer(3)),
          row.integer(4),
          row.integer(5)};
}

/// id, digest, flag, shingle_set, per_spam, per_ham, taught, wanted, seen
Result<HashChange> hash_of(const Statement& row, const std::string& path) {
  HashChange out;
  out.id = row.integer(0);
  Fingerprint& fingerprint = out.hash.fingerprint;
  const auto bad = [&] {
    return Error{ErrorCode::kCorrupt,
                 path + ": hash " + std::to_string(out.id) + " has a wrong length"};
  };
  if (!row.copy_blob(1, fingerprint.digest.bytes)) return bad();
  out.hash.flag = static_cast<std::uint32_t>(row.integer(2));
  if (!row.is_null(3)) {
    if (row.blob(3).size() != kShingleSetBytes) return bad();
    fingerprint.shingles = decode_shingles(row.blob(3));
  }
  out.hash.per_spam = static_cast<std::int32_t>(row.integer(4));
  out.hash.per_ham = static_cast<std::int32_t>(row.integer(5));
  out.taught = static_cast<std::int32_t>(row.integer(6));
  out.wanted = static_cast<std::int32_t>(row.integer(7));
  out.seen = static_cast<std::int32_t>(row.integer(8));
  return out;
}

}  // namespace

struct ReportTable::Statements {
  Statement find_report;
  Statement put_report;
  Statement find_message;
  Statement put_message;
  Statement put_reporter;
  Statement find_reporter;
  Statement judge_reporter;
  Statement judge_others;
  Statement links_of_report;
  Statement drop_links;
  Statement put_hash;
  Statement put_link;
  Statement find_hash;
  Statement supporters;
  Statement want;
  Statement taught;
  Statement counted;
  Statement note_newcomer;
  Statement unfinished;
  Statement reporters;
  Statement old_messages;
  Statement forget_links;
  Statement forget_reports;
  Statement forget_message;
};

Result<std::unique_ptr<ReportTable>> ReportTable::open(const std::string& path,
                                                       std::uint64_t site) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  if (Status prepared = prepare_reports(*file->database, as_signed(site)); !prepared)
    return prepared.error();
  const std::string hash =
      "SELECT id, digest, flag, shingle_set, per_spam, per_ham, taught, wanted, seen FROM hashes ";
  const std::string reporter =
      "SELECT name, reports, agreed, disagreed, first, last FROM reporters ";
  auto statements = prepare_all<Statements>(
      *file->database,
      {"SELECT kind, counted FROM reports WHERE message = ?1 AND reporter = ?2",
       "INSERT OR REPLACE INTO reports VALUES (?1, ?2, ?3, ?4, 0)",
       "SELECT spam, ham, newcomers FROM messages WHERE name = ?1",
       "INSERT INTO messages VALUES (?1, ?2, ?3, 0, ?4) ON CONFLICT (name) DO UPDATE SET"
       " spam = excluded.spam, ham = excluded.ham, last = max(last, excluded.last)",
       "INSERT INTO reporters VALUES (?1, ?2, 0, 0, ?3, ?3) ON CONFLICT (name) DO UPDATE SET"
       " reports = reports + ?2, first = min(first, ?3), last = max(last, ?3)",
       reporter + "WHERE name = ?1",
       "UPDATE reporters SET agreed = max(0, agreed + ?2), disagreed = max(0, disagreed + ?3)"
       " WHERE name = ?1",
       "UPDATE reporters SET agreed = max(0, agreed + ?4), disagreed = max(0, disagreed + ?5)"
       " WHERE name IN (SELECT reporter FROM reports WHERE message = ?1 AND kind = ?2"
       " AND reporter <> ?3)",
       "SELECT hash FROM links WHERE message = ?1 AND reporter = ?2",
       "DELETE FROM links WHERE message = ?1 AND reporter = ?2",
       "INSERT INTO hashes (digest, flag, shingle_set, per_spam, per_ham, taught, wanted, seen)"
       " VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0) ON CONFLICT (digest, flag) DO UPDATE SET"
       " shingle_set = coalesce(shingle_set, excluded.shingle_set), per_spam = excluded.per_spam,"
       " per_ham = excluded.per_ham RETURNING id",
       "INSERT OR IGNORE INTO links VALUES (?1, ?2, ?3, ?4)",
       hash + "WHERE id = ?1",
       "SELECT DISTINCT r.name, r.reports, r.agreed, r.disagreed, r.first, r.last, l.kind"
       " FROM links l JOIN reporters r ON r.name = l.reporter WHERE l.hash = ?1",
       "UPDATE hashes SET wanted = ?2, seen = ?3 WHERE id = ?1",
       "UPDATE hashes SET taught = ?2 WHERE id = ?1",
       "UPDATE reports SET counted = 1 WHERE message = ?1 AND reporter = ?2",
       "UPDATE messages SET newcomers = newcomers + 1 WHERE name = ?1",
       hash + "WHERE taught <> wanted ORDER BY id",
       reporter + "ORDER BY reports DESC, name LIMIT ?1",
       "SELECT name FROM messages WHERE last < ?1 ORDER BY last LIMIT ?2",
       "DELETE FROM links WHERE message = ?1",
       "DELETE FROM reports WHERE message = ?1",
       "DELETE FROM messages WHERE name = ?1"});
  if (!statements) return statements.error();
  return std::unique_ptr<ReportTable>(
      new ReportTable(*std::move(file), std::make_unique<Statements>(*std::move(statements))));
}

ReportTable::ReportTable(OwnedFile file, std::unique_ptr<Statements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

ReportTable::~ReportTable() = default;

Result<ReportOutcome> ReportTable::add(const ReportRow& row, const Weigh& weigh) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  ReportOutcome out;
  std::optional<ReportKind> before;
  statements_->find_report.bind(1, as_signed(row.message)).bind(2, as_signed(row.reporter));
  Status done = for_each_row(statements_->find_report, [&](const Statement& found) {
    before = kind_of(found.integer(0));
    out.counted = found.integer(1) != 0;
  });
  if (!done) return done.error();
  std::vector<std::int64_t> touched;
  if (before == row.kind) {
    out.what = ReportOutcome::What::kSame;
  } else {
    out.what = before ? ReportOutcome::What::kTurned : ReportOutcome::What::kNew;
    if (done = note_reporter(row, !before); !done) return done.error();
    if (done = settle(row, before); !done) return done.error();
    if (done = drop_links(row, touched); !done) return done.error();
    if (done = link(row, touched); !done) return done.error();
  }
  statements_->find_message.bind(1, as_signed(row.message));
  done = for_each_row(statements_->find_message, [&](const Statement& found) {
    out.newcomers = as_unsigned(found.integer(2));
  });
  if (!done) return done.error();
  auto standing = reporter(row.reporter);
  if (!standing) return standing.error();
  out.reporter = *standing;
  if (out.what == ReportOutcome::What::kSame) {
    auto left = unfinished();
    if (!left) return left.error();
    out.changes = *std::move(left);
  } else if (done = weigh_all(touched, weigh, out.changes); !done) {
    return done.error();
  }
  if (done = transaction->commit(); !done) return done.error();
  return out;
}

Status ReportTable::note_reporter(const ReportRow& row, bool is_new) {
  return statements_->put_reporter.bind(1, as_signed(row.reporter))
      .bind(2, std::int64_t{is_new ? 1 : 0})
      .bind(3, row.time)
      .run();
}

/// Stores the report, and brings up to date how far others agree with those who reported it.
Status ReportTable::settle(const ReportRow& row, std::optional<ReportKind> before) {
  std::int64_t spam = 0;
  std::int64_t ham = 0;
  statements_->find_message.bind(1, as_signed(row.message));
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
    done = statements_->judge_others.bind(1, as_signed(row.message))
               .bind(2, number_of(kind))
               .bind(3, as_signed(row.reporter))
               .bind(4, change(was, is, 1))
               .bind(5, change(was, is, -1))
               .run();
    if (!done) return done;
  }
  const int was = before ? outcome_of(*before, spam, ham) : 0;
  const int is = outcome_of(row.kind, new_spam, new_ham);
  done = statements_->judge_reporter.bind(1, as_signed(row.reporter))
             .bind(2, change(was, is, 1))
             .bind(3, change(was, is, -1))
             .run();
  if (!done) return done;
  done = statements_->put_report.bind(1, as_signed(row.message))
             .bind(2, as_signed(row.reporter))
             .bind(3, number_of(row.kind))
             .bind(4, row.time)
             .run();
  if (!done) return done;
  return statements_->put_message.bind(1, as_signed(row.message))
      .bind(2, new_spam)
      .bind(3, new_ham)
      .bind(4, row.time)
      .run();
}

Status ReportTable::drop_links(const ReportRow& row, std::vector<std::int64_t>& touched) {
  statements_->links_of_report.bind(1, as_signed(row.message)).bind(2, as_signed(row.reporter));
  Status done = for_each_row(statements_->links_of_report,
                             [&](const Statement& found) { touched.push_back(found.integer(0)); });
  if (!done) return done;
  return statements_->drop_links.bind(1, as_signed(row.message))
      .bind(2, as_signed(row.reporter))
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
               .bind(2, as_signed(row.reporter))
               .bind(3, as_signed(row.message))
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
    std::optional<HashChange> change;
    Status done =
        for_each_row(statements_->find_hash.bind(1, id), [&](const Statement& row) -> Status {
          auto found = hash_of(row, file_.database->path());
          if (!found) return found.error();
          change = *std::move(found);
          return {};
        });
    if (!done) return done;
    if (!change) continue;
    std::vector<Supporter> supporters;
    done = for_each_row(statements_->supporters.bind(1, id), [&](const Statement& row) {
      supporters.push_back({reporter_of(row), kind_of(row.integer(6))});
    });
    if (!done) return done;
    const auto weight = weigh(change->hash, supporters);
    if (!weight) return weight.error();
    if (weight->wanted == change->taught && change->wanted == change->taught) continue;
    change->wanted = weight->wanted;
    change->seen = weight->seen;
    done = statements_->want.bind(1, id)
               .bind(2, std::int64_t{change->wanted})
               .bind(3, std::int64_t{change->seen})
               .run();
    if (!done) return done;
    changes.push_back(*std::move(change));
  }
  return {};
}

Result<ReporterRow> ReportTable::reporter(std::uint64_t name) {
  ReporterRow out;
  Status done = for_each_row(statements_->find_reporter.bind(1, as_signed(name)),
                             [&](const Statement& row) { out = reporter_of(row); });
  if (!done) return done.error();
  return out;
}

Status ReportTable::finish(std::span<const HashChange> changes,
                           const std::optional<CountedReport>& counted) {
  if (changes.empty() && !counted) return {};
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const HashChange& change : changes) {
    Status done = statements_->taught.bind(1, change.id).bind(2, std::int64_t{change.wanted}).run();
    if (!done) return done;
  }
  if (counted) {
    const std::int64_t message = as_signed(counted->message);
    Status done = statements_->counted.bind(1, message).bind(2, as_signed(counted->reporter)).run();
    if (done && counted->newcomer) done = statements_->note_newcomer.bind(1, message).run();
    if (!done) return done;
  }
  return transaction->commit();
}

Result<std::vector<HashChange>> ReportTable::unfinished() {
  std::vector<HashChange> out;
  Status done = for_each_row(statements_->unfinished, [&](const Statement& row) -> Status {
    auto found = hash_of(row, file_.database->path());
    if (!found) return found.error();
    out.push_back(*std::move(found));
    return {};
  });
  if (!done) return done.error();
  return out;
}

Result<std::size_t> ReportTable::forget_before(std::int64_t time, std::size_t most) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  std::vector<std::int64_t> names;
  Status done =
      for_each_row(statements_->old_messages.bind(1, time).bind(2, static_cast<std::int64_t>(most)),
                   [&](const Statement& row) { names.push_back(row.integer(0)); });
  for (std::size_t i = 0; done && i < names.size(); ++i) {
    done = statements_->forget_links.bind(1, names[i]).run();
    if (done) done = statements_->forget_reports.bind(1, names[i]).run();
    if (done) done = statements_->forget_message.bind(1, names[i]).run();
  }
  if (done && !names.empty()) {
    done = file_.database->execute(
        "DELETE FROM hashes WHERE taught = wanted"
        " AND NOT EXISTS (SELECT 1 FROM links WHERE hash = hashes.id)");
  }
  if (!done) return done.error();
  if (done = transaction->commit(); !done) return done.error();
  return names.size();
}

Result<std::vector<ReporterRow>> ReportTable::reporters(std::size_t most) {
  std::vector<ReporterRow> out;
  Status done = for_each_row(statements_->reporters.bind(1, static_cast<std::int64_t>(most)),
                             [&](const Statement& row) { out.push_back(reporter_of(row)); });
  if (!done) return done.error();
  return out;
}

Result<ReportTable::Counts> ReportTable::counts() {
  const auto messages = file_.database->integer("SELECT count(*) FROM messages");
  if (!messages) return messages.error();
  const auto reporters = file_.database->integer("SELECT count(*) FROM reporters");
  if (!reporters) return reporters.error();
  const auto aside = file_.database->integer("SELECT count(*) FROM hashes WHERE taught = 0");
  if (!aside) return aside.error();
  return Counts{as_unsigned(*messages), as_unsigned(*reporters), as_unsigned(*aside)};
}

}  // namespace shingled::storage::sqlite
