// What ReportTable says of cases, and what it decides about them.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "config/base/hex.h"
#include "storage/sqlite/base/database.h"
#include "storage/sqlite/reports/report_statements.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::storage::sqlite {

namespace {

/// Fewer digits of a digest name no case: one in 65 536 hashes has any four.
constexpr std::size_t kPrefixMin = 4;

}  // namespace

Result<std::vector<HashChange>> ReportTable::known(std::span<const ReportedHash> hashes) {
  std::vector<HashChange> out;
  for (const ReportedHash& hash : hashes) {
    statements_->find_digest.bind(1, BytesView(hash.fingerprint.digest.bytes))
        .bind(2, std::int64_t{hash.flag});
    Status done = for_each_row(statements_->find_digest, [&](const Statement& row) -> Status {
      auto found = hash_of(row, file_.database->path());
      if (!found) return found.error();
      out.push_back(*std::move(found));
      return {};
    });
    if (!done) return done.error();
  }
  return out;
}

Result<Withdrawal> ReportTable::withdraw(std::span<const Digest> digests, std::uint32_t flag,
                                         const Weigh& weigh) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  std::vector<std::int64_t> named;
  for (const Digest& digest : digests) {
    const auto ids = ids_of(
        statements_->find_digest.bind(1, BytesView(digest.bytes)).bind(2, std::int64_t{flag}));
    if (!ids) return ids.error();
    named.insert(named.end(), ids->begin(), ids->end());
  }
  const auto all = with_matching(std::move(named), kFallingMax);
  if (!all) return all.error();
  Withdrawal out;
  std::set<std::uint64_t> people;
  std::set<ReportName> reports;
  for (const std::int64_t id : *all) {
    Status done = for_each_row(statements_->reports_of_hash.bind(1, id), [&](const Statement& row) {
      const std::uint64_t reporter = supporter_of(row).reporter.name;
      people.insert(reporter);
      reports.insert({static_cast<std::uint64_t>(row.integer(10)), reporter});
    });
    if (done) done = statements_->withdraw.bind(1, id).run();
    if (!done) return done.error();
    auto found = find_hash(id);
    if (!found) return found.error();
    if (!*found) continue;
    if ((*found)->taught == 0 || !weigh) {
      done = drop_hash(**found);
    } else {
      const auto weight = weigh((*found)->hash, {});
      if (!weight) return weight.error();
      done = want(**found, {0, weight->seen}, out.changes);
    }
    if (!done) return done.error();
  }
  out.people = people.size();
  out.reports.assign(reports.begin(), reports.end());
  if (Status done = transaction->commit(); !done) return done.error();
  return out;
}

Result<std::vector<HashChange>> ReportTable::rule(std::span<const std::int64_t> hashes,
                                                  Ruling ruling, const Weigh& weigh) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  const auto decided = decide(hashes, ruling);
  if (!decided) return decided.error();
  std::vector<HashChange> changes;
  if (weigh) {
    if (Status done = weigh_all({hashes.begin(), hashes.end()}, weigh, changes); !done)
      return done.error();
  }
  // A hash that was kept only because it was closed.
  for (const std::int64_t id : hashes) {
    if (ruling != Ruling::kReopens) break;
    const auto linked = has_links(id);
    if (!linked) return linked.error();
    const auto found = find_hash(id);
    if (!found) return found.error();
    if (*linked || !*found || (*found)->taught != 0) continue;
    if (Status done = drop_hash(**found); !done) return done.error();
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return changes;
}

Result<std::vector<CaseRow>> ReportTable::cases(std::int64_t since, std::size_t most) {
  std::vector<CaseRow> out;
  std::set<std::int64_t> seen;
  for (Statement* seeds :
       {&statements_->recent_hashes.bind(1, since), &statements_->closed_hashes}) {
    const auto ids = ids_of(*seeds);
    if (!ids) return ids.error();
    for (const std::int64_t id : *ids) {
      if (out.size() == most) return out;
      if (seen.contains(id)) continue;
      auto one = case_around(id, seen);
      if (!one) return one.error();
      out.push_back(*std::move(one));
    }
  }
  return out;
}

Result<CaseRow> ReportTable::case_around(std::int64_t hash, std::set<std::int64_t>& seen) {
  std::set<std::int64_t> members = {hash};
  std::vector<std::int64_t> next = {hash};
  while (!next.empty() && members.size() < kCaseHashesMax) {
    const std::int64_t id = next.back();
    next.pop_back();
    auto near = index_.matching(id);
    if (!near) return near.error();
    const auto beside = ids_of(statements_->texts_beside.bind(1, id));
    if (!beside) return beside.error();
    near->insert(near->end(), beside->begin(), beside->end());
    const auto lists = ids_of(statements_->other_lists.bind(1, id));
    if (!lists) return lists.error();
    near->insert(near->end(), lists->begin(), lists->end());
    for (const std::int64_t other : *near) {
      if (members.size() < kCaseHashesMax && members.insert(other).second) next.push_back(other);
    }
  }
  seen.insert(members.begin(), members.end());
  CaseRow out;
  std::map<std::uint64_t, Word> words;
  std::set<std::int64_t> messages;
  std::set<ReportName> spam;
  for (const std::int64_t id : members) {
    Status done =
        for_each_row(statements_->find_hash.bind(1, id), [&](const Statement& row) -> Status {
          auto found = hash_of(row, file_.database->path());
          if (!found) return found.error();
          out.hashes.push_back(*std::move(found));
          return {};
        });
    if (!done) return done.error();
    done = for_each_row(statements_->reports_of_hash.bind(1, id), [&](const Statement& row) {
      const Supporter supporter = supporter_of(row);
      const std::int64_t turn = row.integer(8);
      const auto [word, is_first] =
          words.try_emplace(supporter.reporter.name, Word{supporter, turn});
      if (!is_first && turn > word->second.turn) word->second = {supporter, turn};
      out.last = std::max(out.last, row.integer(9));
      messages.insert(row.integer(10));
      if (supporter.kind == ReportKind::kSpam)
        spam.insert({static_cast<std::uint64_t>(row.integer(10)), supporter.reporter.name});
    });
    if (!done) return done.error();
  }
  if (!out.hashes.empty()) out.oldest = out.hashes.front().hash.fingerprint.digest;
  for (const auto& [name, word] : words) out.people.push_back(word.supporter);
  out.spam_reports.assign(spam.begin(), spam.end());
  out.messages = messages.size();
  return out;
}

Result<std::optional<CaseRow>> ReportTable::find_case(std::string_view prefix) {
  std::string least(prefix);
  least.resize(2 * kDigestBytes, '0');
  std::string most(prefix);
  most.resize(2 * kDigestBytes, 'f');
  const auto low = from_hex(least);
  const auto high = from_hex(most);
  if (prefix.size() < kPrefixMin || prefix.size() > 2 * kDigestBytes || !low || !high) {
    return Error{ErrorCode::kInvalid,
                 "a case is named by the first digits of a digest, 4 to 128 hexadecimal digits"};
  }
  const auto ids =
      ids_of(statements_->digests_between.bind(1, BytesView(*low)).bind(2, BytesView(*high)));
  if (!ids) return ids.error();
  if (ids->empty()) return std::optional<CaseRow>();
  std::set<std::int64_t> seen;
  auto found = case_around(ids->front(), seen);
  if (!found) return found.error();
  for (const std::int64_t id : *ids) {
    if (!seen.contains(id))
      return Error{ErrorCode::kInvalid, "several cases begin so; give more digits"};
  }
  return std::optional(*std::move(found));
}

}  // namespace shingled::storage::sqlite
