#include "storage/redis/route/reachability.h"

#include <utility>

namespace shingled::storage::redis {

Reachability::Moment Reachability::begin() const { return state_.lock()->known; }

void Reachability::record(Moment begun, Kind kind, const Status& outcome) {
  const bool is_change = [&] {
    auto state = state_.lock();
    return outcome ? succeed(*state, begun, kind) : fail(*state, begun, kind);
  }();
  if (!is_change) return;
  if (outcome) {
    logger_.info(LogLine(lines_.back));
  } else {
    logger_.error(LogLine(lines_.away)
                      .field("meanwhile", lines_.meanwhile)
                      .field("reason", outcome.error().message));
  }
}

bool Reachability::fail(State& state, Moment begun, Kind kind) const {
  state.failed = clock_.now();
  ++state.known.failures;
  if (!state.away && state.known.changes != begun.changes) return false;
  state.refuses_writes |= kind == Kind::kWrite;
  if (std::exchange(state.away, true)) return false;
  ++state.known.changes;
  return true;
}

bool Reachability::succeed(State& state, Moment begun, Kind kind) const {
  if (!state.away || state.known.failures != begun.failures) return false;
  if (is_cluster_ && clock_.now() - state.failed < kClusterQuiet) return false;
  if (state.refuses_writes && kind != Kind::kWrite) return false;
  state.away = false;
  state.refuses_writes = false;
  ++state.known.changes;
  return true;
}

}  // namespace shingled::storage::redis
