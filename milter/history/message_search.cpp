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

/// A query with its parts in lower case.
class RowFilter {
 public:
  RowFilter(HistoryReader& reader, const MessageQuery& query) : reader_(reader), query_(query) {
    for (std::string* part : {&query_.sender, &query_.recipient, &query_.subject})
      *part = ascii::to_lower(*part);
  }

  /// Whether the query has a part of a name, so that other rows need not be read as a whole.
  [[nodiscard]] bool asks_names() const {
    return !query_.sender.empty() || !query_.recipient.empty() || !query_.subject.empty();
  }
  bool wants(const HistoryReader::Names& names) {
    return has_part(names.sender, query_.sender) && has_part(names.recipients, query_.recipient) &&
           has_part(names.subject, query_.subject);
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
  bool has_part(BytesView text, const std::string& lower_part) {
    if (lower_part.empty()) return true;
    lower_.assign(as_text(text));
    ascii::make_lower(lower_);
    return lower_.find(lower_part) != std::string::npos;
  }
  bool sender_fits(const HistoryReader::View& row) {
    if (query_.sender_id && row.sender == *query_.sender_id) return true;
    if (query_.sender.empty()) return !query_.sender_id;
    return has_part(row.sender_name, query_.sender);
  }

  HistoryReader& reader_;
  MessageQuery query_;
  std::string lower_;  ///< a name, reused
};

/// One search: looks at rows until it has enough.
class Search {
 public:
  Search(HistoryReader& reader, const MessageQuery& query, const SearchBounds& bounds,
         const std::function<bool(const FoundMessage&)>& take)
      : reader_(reader), query_(query), filter_(reader, query), bounds_(bounds), take_(take) {}

  Result<SearchEnd> run() {
    Status done;
    if (query_.sender_id) done = look_sender();
    const bool unknown_sender = looked_ == 0 && !end_.next;
    if (done && unknown_sender && (!query_.sender_id || !query_.sender.empty()))
      done = filter_.asks_names() ? look_names() : look_all();
    if (!done) return done.error();
    if (!failed_) return failed_.error();
    return end_;
  }

 private:
  Status look_all() {
    return reader_.read_newest_first(query_.span, [this](const HistoryReader::View& row) {
      return may_look(row.time, kNamesALook) && look(row);
    });
  }

  Status look_names() {
    return reader_.read_names(query_.span,
                              [this](std::int64_t time, const HistoryReader::Names& names) {
                                const bool fits = filter_.wants(names);
                                if (!may_look(time, fits ? kNamesALook : 1)) return false;
                                return !fits || look_at(time);
                              });
  }

  Status look_sender() {
    return reader_.read_sender(query_.span, *query_.sender_id, [this](std::int64_t time) {
      return may_look(time, kNamesALook) && look_at(time);
    });
  }

  /// The row of a time. Returns whether more is wanted.
  bool look_at(std::int64_t time) {
    bool more = true;
    const Status read =
        reader_.read_newest_first({time, time + 1}, [&](const HistoryReader::View& row) {
          more = look(row);
          return false;
        });
    if (!read) failed_ = read;
    return more && read;
  }

  /// Whether one more row may be looked at. `cost`: in names.
  bool may_look(std::int64_t time, std::uint64_t cost) {
    if (found_ == bounds_.found_max || looked_ / kNamesALook >= bounds_.looked_max) {
      end_.next = last_;
      return false;
    }
    looked_ += cost;
    last_ = time;
    return true;
  }

  /// Returns whether more is wanted.
  bool look(const HistoryReader::View& row) {
    const auto wanted = filter_.wants(row);
    if (!wanted) failed_ = wanted.error();
    if (!wanted || !*wanted) return wanted.has_value();
    if (!decode_record(row.details, record_)) {
      ++end_.broken;
      return true;
    }
    if (!filter_.wants(record_)) return true;
    ++found_;
    return take_({row, record_});
  }

  HistoryReader& reader_;
  const MessageQuery& query_;
  RowFilter filter_;
  const SearchBounds bounds_;
  const std::function<bool(const FoundMessage&)>& take_;
  SearchEnd end_;
  MessageRecord record_;
  Status failed_;
  std::size_t found_ = 0;
  std::uint64_t looked_ = 0;  ///< in names
  std::int64_t last_ = 0;
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
  return Search(reader, query, bounds, take).run();
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
