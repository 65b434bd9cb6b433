#include "milter/desk/counters/counted_policy.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "milter/counters/counted_keys.h"
#include "milter/counters/message_pieces.h"

namespace shingled::milter::desk {

namespace {

/// What is known of a counter of which not all can be read, because a file is damaged: the windows
/// that do not reach into it. Days before today cannot be asked for alone, so they stay unknown.
/// Returns false if nothing is known.
bool ask_windows(CounterClient& client, Direction direction, const Json& piece,
                 std::span<const storage::counters::Window> windows, rules::PieceCounts& counts) {
  std::vector<std::string> names;
  std::vector<std::size_t> places;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    if (windows[w].skipped > 0) continue;
    names.push_back(storage::counters::to_string(windows[w]));
    places.push_back(w);
  }
  if (names.empty()) return false;
  const auto asked = client.ask(direction, Json::array({piece}), names);
  if (!asked || asked->size() != 1 || !asked->front().knows_some()) return false;
  counts.known = true;
  counts.sums.assign(windows.size(), {});
  counts.lost.assign(windows.size(), true);
  for (std::size_t i = 0; i < places.size(); ++i) {
    counts.sums[places[i]].counted = asked->front().sums[i];
    counts.lost[places[i]] = asked->front().lost[i];
  }
  return true;
}

/// A piece as it is asked for.
struct Asked {
  Direction direction = Direction::kIn;
  Json piece;
  std::span<const storage::counters::Window> windows;
};

/// Adds what people said.
void add_said(CounterClient& client, const Asked& asked, bool proved,
              std::span<const std::string> recipients, rules::PieceCounts& counts) {
  std::vector<std::string> names;
  for (const storage::counters::Window& window : asked.windows)
    names.push_back(storage::counters::to_string(window));
  const auto said = client.people(asked.direction, Json::array({asked.piece}), names, recipients);
  counts.said_known = said.has_value();
  if (!said) return;
  const SaidOfPiece& found = said->front();
  for (std::size_t w = 0; w < asked.windows.size(); ++w) {
    const features::Sums& sums = proved ? found.proved[w] : found.unproved[w];
    counts.sums[w].said = sums.said;
    counts.sums[w].recipients = sums.recipients;
    counts.sums[w].counted += sums.counted;
  }
}

}  // namespace

Result<rules::CounterFacts> ask_counters(CounterClient& client, Direction direction,
                                         std::span<const mime::Piece> pieces,
                                         const features::CounterNeeds& needs, bool proved,
                                         std::span<const std::string> recipients) {
  rules::CounterFacts facts;
  facts.needs = std::make_shared<const features::CounterNeeds>(needs);
  for (const counters::CounterAsk& ask : counters::asks_for(needs)) {
    // Which pieces: the key of the site does not matter for that.
    for (mime::Piece& piece : counters::question_of({}, direction, pieces, ask.types).pieces) {
      Json json{{"type", std::string(to_string(piece.type))}};
      json["piece"] =
          is_pair(piece.type) ? Json::array({piece.first, piece.second}) : Json(piece.first);
      const auto history = client.history(direction, json);
      const features::CounterNeed* const need = features::find_need(needs, piece.type);
      rules::PieceCounts& counts = facts.pieces.emplace_back();
      if (!history) {
        if (!ask_windows(client, direction, json, need->windows, counts)) return history.error();
        counts.piece = std::move(piece);
        continue;
      }
      counts.known = true;
      std::vector<Amounts> counted(need->windows.size());
      storage::counters::WindowSums sums(need->windows, history->now, counted);
      for (const storage::counters::Entry& entry : history->entries)
        sums.add(piece.type, entry.period, entry.amounts);
      for (std::size_t w = 0; w < counted.size(); ++w)
        counts.sums.push_back(
            {.counted = is_long(need->windows[w]) ? Amounts{} : counted[w], .said = {}});
      if (need->said)
        add_said(client, {direction, json, need->windows}, proved, recipients, counts);
      counts.piece = std::move(piece);
    }
  }
  return facts;
}

}  // namespace shingled::milter::desk
