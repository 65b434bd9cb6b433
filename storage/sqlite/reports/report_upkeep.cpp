// What ReportTable does beside taking reports.
#include <algorithm>
#include <set>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/reports/report_statements.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::storage::sqlite {

Status ReportTable::finish(std::span<const HashChange> changes) {
  if (changes.empty()) return {};
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const HashChange& change : changes) {
    Status done = statements_->taught.bind(1, change.id).bind(2, std::int64_t{change.wanted}).run();
    if (!done) return done;
    if (change.wanted != 0) continue;
    const auto linked = has_links(change.id);
    if (!linked) return linked.error();
    if (*linked) continue;
    if (done = drop_hash(change); !done) return done;
  }
  return transaction->commit();
}

Status ReportTable::mark_counted(const CountedReport& report) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  const std::int64_t message = signed_id(report.message);
  Status done = statements_->counted.bind(1, message)
                    .bind(2, signed_id(report.reporter))
                    .bind(3, report.whole ? kWholeCounted : kPiecesCounted)
                    .run();
  if (done && report.new_newcomer) done = statements_->note_newcomer.bind(1, message).run();
  if (!done) return done;
  return transaction->commit();
}

Status ReportTable::rename_reporter(std::uint64_t from, std::uint64_t to) {
  const auto known = reporter(from);
  if (!known) return known.error();
  const auto taken = reporter(to);
  if (!taken) return taken.error();
  // A row that was found has its name; a name that is 0 would only not be renamed.
  if (known->name == 0 || taken->name != 0) return {};
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (Statement* rename : {&statements_->rename_reporter, &statements_->rename_in_reports,
                            &statements_->rename_in_links}) {
    Status done = rename->bind(1, signed_id(from)).bind(2, signed_id(to)).run();
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

Result<std::size_t> ReportTable::forget_before(std::int64_t time, std::size_t most,
                                               const Weigh& weigh) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  std::vector<std::int64_t> names;
  Status done =
      for_each_row(statements_->old_messages.bind(1, time).bind(2, static_cast<std::int64_t>(most)),
                   [&](const Statement& row) { names.push_back(row.integer(0)); });
  std::set<std::int64_t> hashes;  // whose people may be fewer now
  for (std::size_t i = 0; done && i < names.size(); ++i) {
    done = for_each_row(statements_->hashes_of_message.bind(1, names[i]),
                        [&](const Statement& row) -> Status {
                          const auto matching = index_.matching(row.integer(0));
                          if (!matching) return matching.error();
                          hashes.insert(row.integer(0));
                          hashes.insert(matching->begin(), matching->end());
                          return {};
                        });
    if (done) done = statements_->forget_links.bind(1, names[i]).run();
    if (done) done = statements_->forget_reports.bind(1, names[i]).run();
    if (done) done = statements_->forget_message.bind(1, names[i]).run();
  }
  Facts facts;
  for (auto hash = hashes.begin(); done && hash != hashes.end(); ++hash)
    done = disown(*hash, weigh, facts);
  if (!done) return done.error();
  if (done = transaction->commit(); !done) return done.error();
  return names.size();
}

/// After links of a hash or of its case went: of what was taught only what the others give it is
/// still theirs.
Status ReportTable::disown(std::int64_t id, const Weigh& weigh, Facts& facts) {
  auto found = find_hash(id);
  if (!found) return found.error();
  if (!*found || (*found)->taught != (*found)->wanted) return {};
  const auto linked = has_links(id);
  if (!linked) return linked.error();
  if (!*linked) return drop_hash(**found);
  const auto said = case_of(id, facts);
  if (!said) return said.error();
  (*found)->hash.closed = said->closed;
  const auto weight = weigh((*found)->hash, said->people);
  if (!weight) return weight.error();
  const std::int32_t theirs = std::min((*found)->taught, weight->wanted);
  return statements_->disown.bind(1, id).bind(2, std::int64_t{theirs}).run();
}

Status ReportTable::drop_hash(const HashChange& hash) {
  bool closed = false;  // its own, which is not that of `hash` where that has its case's
  Status done = for_each_row(statements_->is_closed.bind(1, hash.id),
                             [&](const Statement& row) { closed = row.integer(0) != 0; });
  if (!done) return done;
  if (closed) return statements_->disown.bind(1, hash.id).bind(2, std::int64_t{0}).run();
  if (const auto& shingles = hash.hash.fingerprint.shingles) {
    if (done = index_.remove(hash.id, *shingles); !done) return done;
  }
  return statements_->drop_hash.bind(1, hash.id).run();
}

Result<bool> ReportTable::has_links(std::int64_t hash) {
  bool out = false;
  Status done = for_each_row(statements_->has_links.bind(1, hash),
                             [&](const Statement& row) { out = row.integer(0) != 0; });
  if (!done) return done.error();
  return out;
}

Status ReportTable::each_hash(std::uint64_t message, std::uint64_t reporter, const Look& look) {
  const auto links = links_of(message, reporter);
  if (!links) return links.error();
  Facts facts;
  for (const std::int64_t id : *links) {
    auto found = find_hash(id);
    if (!found) return found.error();
    if (!*found) continue;
    const auto said = case_of(id, facts);
    if (!said) return said.error();
    (*found)->hash.closed = said->closed;
    look((*found)->hash, said->people);
  }
  return {};
}

Result<std::vector<ReportedHash>> ReportTable::hashes_of(std::uint64_t message,
                                                         std::uint64_t reporter) {
  const auto links = links_of(message, reporter);
  if (!links) return links.error();
  std::vector<ReportedHash> out;
  for (const std::int64_t id : *links) {
    const auto found = find_hash(id);
    if (!found) return found.error();
    if (*found) out.push_back((*found)->hash);
  }
  return out;
}

Result<std::vector<Supporter>> ReportTable::reporters_of(std::uint64_t message) {
  std::vector<Supporter> out;
  Status done = for_each_row(statements_->reporters_of_message.bind(1, signed_id(message)),
                             [&](const Statement& row) { out.push_back(supporter_of(row)); });
  if (!done) return done.error();
  return out;
}

Result<std::int64_t> ReportTable::newest() {
  return file_.database->integer("SELECT coalesce(max(last), 0) FROM messages");
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
  return Counts{static_cast<std::uint64_t>(*messages), static_cast<std::uint64_t>(*reporters),
                static_cast<std::uint64_t>(*aside)};
}

}  // namespace shingled::storage::sqlite
