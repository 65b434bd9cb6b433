#include "milter/replay/fired_rules.h"

#include "milter/history/row_code.h"

namespace shingled::milter::replay {

Result<FiredRules> count_fired(storage::sqlite::HistoryReader& reader,
                               const storage::sqlite::HistoryReader::Span& span,
                               std::uint64_t rows_max, const std::function<bool()>& go_on) {
  using View = storage::sqlite::HistoryReader::View;
  constexpr std::uint64_t kAskEvery = 64;
  FiredRules out;
  history::MessageRecord record;
  std::uint64_t rows = 0;
  const Status read = reader.read_back(span, [&](const View& row) {
    if (rows == rows_max || (rows % kAskEvery == 0 && !go_on())) return false;
    ++rows;
    if (row.action >= kTrialActions || !history::decode_record(row.details, record)) return true;
    out.since = row.time;
    const TrialCounts counts = counts_of_message(row.label, static_cast<rules::Action>(row.action),
                                                 !record.failed && !record.unseen);
    out.messages += counts;
    for (const history::EvidenceRecord& evidence : record.evidence)
      if (evidence.policy) out.rules[evidence.symbol] += counts;
    return true;
  });
  if (!read) return read.error();
  return out;
}

}  // namespace shingled::milter::replay
