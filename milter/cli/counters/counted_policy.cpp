#include "milter/cli/counters/counted_policy.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "milter/counters/counted_keys.h"

namespace shingled::milter::cli {

Result<rules::CounterFacts> ask_counters(CounterClient& client, Space space,
                                         std::span<const mime::Piece> pieces,
                                         const features::CounterNeeds& needs) {
  rules::CounterFacts facts;
  facts.needs = std::make_shared<const features::CounterNeeds>(needs);
  for (const counters::CounterAsk& ask : counters::asks_for(needs)) {
    // Which pieces: the key of the site does not matter for that.
    for (mime::Piece& piece : counters::question_of({}, space, pieces, ask.types).pieces) {
      Json json{{"type", std::string(to_string(piece.type))}};
      json["piece"] =
          is_pair(piece.type) ? Json::array({piece.first, piece.second}) : Json(piece.first);
      const auto history = client.history(space, json);
      if (!history) return history.error();
      const features::CounterNeed* const need = features::find_need(needs, piece.type);
      rules::PieceCounts& counts = facts.pieces.emplace_back();
      counts.known = true;
      counts.sums.resize(need->windows.size());
      storage::counters::WindowSums sums(need->windows, history->now, counts.sums);
      for (const storage::counters::Entry& entry : history->entries)
        sums.add(piece.type, entry.period, entry.amounts);
      counts.piece = std::move(piece);
    }
  }
  return facts;
}

}  // namespace shingled::milter::cli
