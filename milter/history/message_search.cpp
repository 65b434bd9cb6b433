#include "milter/history/message_search.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "milter/history/row_code.h"

namespace shingled::milter::history {

using storage::sqlite::HistoryReader;

namespace {

constexpr std::string_view kDigestForm =
    "digest: takes 16 to 128 hexadecimal digits, an even number";

bool has_part(BytesView text, const std::string& lower_part) {
  return lower_part.empty() || ascii::to_lower(as_text(text)).find(lower_part) != std::string::npos;
}

/// A query with its parts in lower case.
class RowFilter {
 public:
  RowFilter(HistoryReader& reader, const MessageQuery& query) : reader_(reader), query_(query) {
    for (std::string* part : {&query_.sender, &query_.recipient, &query_.subject})
      *part = ascii::to_lower(*part);
  }

  Result<bool> wants(const HistoryReader::View& row) {
    const bool wanted = (query_.queue_id.empty() || as_text(row.queue_id) == query_.queue_id) &&
                        (query_.action.empty() || action_text(row.action) == query_.action) &&
                        (query_.label.empty() || label_text(row.label) == query_.label) &&
                        sender_fits(row) && has_part(row.recipients, query_.recipient) &&
                        has_part(row.subject, query_.subject);
    if (!wanted || query_.digest.empty()) return wanted;
    if (!row.is_kept) return false;
    const auto kept = reader_.kept(row.time);
    if (!kept) return kept.error();
    return std::search(kept->begin(), kept->end(), query_.digest.begin(), query_.digest.end()) !=
           kept->end();
  }
  [[nodiscard]] bool wants(const MessageRecord& record) const {
    return query_.symbol.empty() ||
           std::ranges::find(record.evidence, query_.symbol, &EvidenceRecord::symbol) !=
               record.evidence.end();
  }

 private:
  [[nodiscard]] bool sender_fits(const HistoryReader::View& row) const {
    if (query_.sender_id && row.sender == *query_.sender_id) return true;
    if (query_.sender.empty()) return !query_.sender_id;
    return has_part(row.sender_name, query_.sender);
  }

  HistoryReader& reader_;
  MessageQuery query_;
};

}  // namespace

Result<Bytes> parse_digest_part(std::string_view text) {
  constexpr std::size_t kDigitsMax = 128;
  auto bytes = from_hex(text);
  if (text.size() < kDigestDigitsMin || text.size() > kDigitsMax || !bytes)
    return Error{ErrorCode::kInvalid, std::string(kDigestForm)};
  return Bytes(bytes->begin(), bytes->end());
}

Result<SearchEnd> find_messages(HistoryReader& reader, const MessageQuery& query,
                                const SearchBounds& bounds,
                                const std::function<bool(const FoundMessage&)>& take) {
  RowFilter filter(reader, query);
  SearchEnd end;
  MessageRecord record;
  Status failed;
  std::size_t found = 0;
  std::uint64_t looked = 0;
  std::int64_t last = 0;
  const Status done = reader.read_newest_first(query.span, [&](const HistoryReader::View& row) {
    if (found == bounds.found_max || looked == bounds.looked_max) {
      end.next = last;
      return false;
    }
    ++looked;
    last = row.time;
    const auto wanted = filter.wants(row);
    if (!wanted) {
      failed = wanted.error();
      return false;
    }
    if (!*wanted) return true;
    if (!decode_record(row.details, record)) {
      ++end.broken;
      return true;
    }
    if (!filter.wants(record)) return true;
    ++found;
    return take({row, record});
  });
  if (!done) return done.error();
  if (!failed) return failed.error();
  return end;
}

MessageName parse_message_name(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos && at > 0) {
    if (const auto time = parse_whole<std::int64_t>(text.substr(at + 1), 0, INT64_MAX))
      return {std::string(text.substr(0, at)), *time};
  }
  return {std::string(text), std::nullopt};
}

std::string message_name(const HistoryReader::View& row) {
  return std::string(as_text(row.queue_id)) + "@" + std::to_string(row.time);
}

Result<std::uint64_t> find_named(HistoryReader& reader, std::string_view name,
                                 const std::function<void(const FoundMessage&)>& take) {
  const MessageName wanted = parse_message_name(name);
  MessageRecord record;
  std::uint64_t broken = 0;
  const Status done = reader.find(wanted.queue_id, [&](const HistoryReader::View& row) {
    if (wanted.time && row.time != *wanted.time) return true;
    if (decode_record(row.details, record)) {
      take({row, record});
    } else {
      ++broken;
    }
    return true;
  });
  if (!done) return done.error();
  return broken;
}

}  // namespace shingled::milter::history
