#pragma once

#include <cstdint>
#include <string>

#include "config/base/result.h"
#include "storage/sqlite/base/database.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::storage::sqlite {

/// Makes the tables of a file of reports (SCHEMA.md), or checks that they are there. `site`: see
/// ReportTable::open.
/// Errors:  kCorrupt (another file, another site), kInvalid (of a newer version), those of Database. The file is
///          then as it was.
/// Threads: one thread.
Status prepare_reports(Database& database, std::int64_t site);

/// What ReportTable asks its file.
struct ReportStatements {
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
  Statement reporters_of_message;
  Statement want;
  Statement taught;
  Statement disown;
  Statement drop_hash;
  Statement counted;
  Statement note_newcomer;
  Statement unfinished;
  Statement reporters;
  Statement old_messages;
  Statement hashes_of_message;
  Statement forget_links;
  Statement forget_reports;
  Statement forget_message;
  Statement rename_reporter;
  Statement rename_in_reports;
  Statement rename_in_links;
  Statement note_resident;
  Statement find_digest;
  Statement has_links;
  Statement is_closed;
  Statement decide;
  Statement withdraw;
  Statement texts_beside;
  Statement other_lists;
  Statement recent_hashes;
  Statement closed_hashes;
  Statement reports_of_hash;
  Statement digests_between;
};

/// Errors: those of Database.
Result<ReportStatements> prepare_report_statements(Database& database);

/// Names are 64 bits; SQLite's integers have a sign.
constexpr std::int64_t signed_id(std::uint64_t name) { return static_cast<std::int64_t>(name); }
constexpr std::int64_t number_of(ReportKind kind) { return static_cast<std::int64_t>(kind); }
constexpr ReportKind kind_of(std::int64_t number) {
  return number == 0 ? ReportKind::kHam : ReportKind::kSpam;
}

// `reports.counted` is the sum of these.
inline constexpr std::int64_t kWholeCounted = 1;
inline constexpr std::int64_t kPiecesCounted = 2;
inline constexpr std::int64_t kOppositeCounted = 4;

/// name, reports, agreed, disagreed, first, last, resident
ReporterRow reporter_of(const Statement& row);
/// The same columns and kind.
Supporter supporter_of(const Statement& row);
/// id, digest, flag, shingle_set, per_spam, per_ham, taught, wanted, seen, closed. `path`: for
/// errors.
/// Errors: kCorrupt.
Result<HashChange> hash_of(const Statement& row, const std::string& path);

}  // namespace shingled::storage::sqlite
