#include "storage/sqlite/reports/change_feed.h"

#include <algorithm>
#include <array>

#include "config/base/byte_reader.h"
#include "config/base/hex.h"
#include "config/base/number_text.h"

namespace shingled::storage::sqlite {

namespace {

using What = ReportChange::What;

/// What the newest row of a subject says counts; closed and open again are about one thing.
std::int64_t topic_of(What what) {
  return static_cast<std::int64_t>(what == What::kReopened ? What::kClosed : what);
}

Bytes big_endian(std::uint64_t number) {
  Bytes out(sizeof number);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(number >> (8 * (out.size() - 1 - i)));
  return out;
}

std::uint64_t from_big_endian(BytesView bytes) {
  std::uint64_t out = 0;
  for (const std::uint8_t byte : bytes) out = out << 8U | byte;
  return out;
}

Bytes subject_of(const ReportChange& change) {
  if (change.what == What::kLabel) return big_endian(change.message);
  return {change.digest.bytes.begin(), change.digest.bytes.end()};
}

std::optional<ReportChange> change_of(const Statement& row) {
  const std::int64_t what = row.integer(2);
  if (what < 0 || what > static_cast<std::int64_t>(What::kWithdrawn)) return std::nullopt;
  ReportChange out;
  out.what = static_cast<What>(what);
  out.value = static_cast<std::uint32_t>(row.integer(4));
  if (out.what == What::kLabel) {
    if (row.blob(3).size() != sizeof out.message) return std::nullopt;
    out.message = from_big_endian(row.blob(3));
  } else if (!row.copy_blob(3, out.digest.bytes)) {
    return std::nullopt;
  }
  return out;
}

struct Cursor {
  std::int64_t number = 0;
  std::int64_t mark = 0;
};

std::string text_of(const Cursor& cursor) {
  return std::to_string(cursor.number) + '-' +
         to_hex(big_endian(static_cast<std::uint64_t>(cursor.mark)));
}

std::optional<Cursor> parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = parse_whole<std::int64_t>(text.substr(0, dash), 1, INT64_MAX);
  const auto mark = from_hex(text.substr(dash + 1));
  if (!number || !mark || mark->size() != sizeof(std::int64_t)) return std::nullopt;
  return Cursor{*number, static_cast<std::int64_t>(from_big_endian(*mark))};
}

}  // namespace

const char* const ChangeFeed::kTables =
    "CREATE TABLE changes (number INTEGER PRIMARY KEY AUTOINCREMENT, mark INTEGER NOT NULL,"
    " what INTEGER NOT NULL, topic INTEGER NOT NULL, subject BLOB NOT NULL,"
    " value INTEGER NOT NULL);"
    "CREATE INDEX changes_of_subject ON changes (topic, subject, number);";

Result<ChangeFeed> ChangeFeed::open(Database& database) {
  auto statements = prepare_all<Statements>(
      database,
      {"SELECT what, value FROM changes WHERE topic = ?1 AND subject = ?2"
       " ORDER BY number DESC LIMIT 1",
       "INSERT INTO changes (mark, what, topic, subject, value) VALUES (random(), ?1, ?2, ?3, ?4)",
       "DELETE FROM changes WHERE number <= ?1", "SELECT mark FROM changes WHERE number = ?1",
       "SELECT number, mark, what, subject, value FROM changes WHERE number > ?1"
       " ORDER BY number LIMIT ?2"});
  if (!statements) return statements.error();
  return ChangeFeed(database, *std::move(statements));
}

Status ChangeFeed::add(const ReportChange& change) {
  const Bytes subject = subject_of(change);
  const std::int64_t what = static_cast<std::int64_t>(change.what);
  const std::int64_t topic = topic_of(change.what);
  bool is_known = false;
  Status done = for_each_row(
      statements_.last_of.bind(1, topic).bind(2, BytesView(subject)), [&](const Statement& row) {
        is_known = row.integer(0) == what && row.integer(1) == std::int64_t{change.value};
      });
  // A hash that is withdrawn twice was taught in between.
  if (!done || (is_known && change.what != What::kWithdrawn)) return done;
  done = statements_.add.bind(1, what)
             .bind(2, topic)
             .bind(3, BytesView(subject))
             .bind(4, std::int64_t{change.value})
             .run();
  if (!done) return done;
  return statements_.trim.bind(1, database_->last_insert_id() - kKept).run();
}

Result<std::optional<std::int64_t>> ChangeFeed::mark_of(std::int64_t number) {
  std::optional<std::int64_t> out;
  Status done = for_each_row(statements_.mark_of.bind(1, number),
                             [&](const Statement& row) { out = row.integer(0); });
  if (!done) return done.error();
  return out;
}

Result<ChangePage> ChangeFeed::after(std::string_view cursor, std::size_t most) {
  ChangePage out;
  std::int64_t from = 0;
  if (!cursor.empty()) {
    const auto place = parse(cursor);
    if (!place) return Error{ErrorCode::kInvalid, "cursor: is not one that this feed gave"};
    const auto mark = mark_of(place->number);
    if (!mark) return mark.error();
    out.is_anew = *mark != place->mark;
    if (!out.is_anew) {
      from = place->number;
      out.next = cursor;
    }
  }
  most = std::min(most, kPageMost);
  Status done = for_each_row(
      statements_.after.bind(1, from).bind(2, static_cast<std::int64_t>(most) + 1),
      [&](const Statement& row) -> Status {
        if (out.changes.size() == most) {
          out.has_more = true;
          return {};
        }
        const auto change = change_of(row);
        if (!change) {
          return Error{ErrorCode::kCorrupt, database_->path() + ": change " +
                                                std::to_string(row.integer(0)) + " cannot be"};
        }
        out.changes.push_back(*change);
        out.next = text_of({row.integer(0), row.integer(1)});
        return {};
      });
  if (!done) return done.error();
  return out;
}

}  // namespace shingled::storage::sqlite
