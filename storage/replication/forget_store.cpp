#include "storage/replication/forget_store.h"

#include <algorithm>
#include <future>
#include <utility>

#include "storage/replication/message.h"

namespace shingled::storage::replication {
namespace {

Status commit(engine::Engine& engine, ReplicaBatch batch) {
  std::promise<Status> outcome;
  engine.submit_batch(std::move(batch), [&](const Status& told) { outcome.set_value(told); });
  return outcome.get_future().get();
}

}  // namespace

Result<std::uint64_t> forget_store(engine::Engine& engine, sqlite::ReplicaReader& reader,
                                   const StoreId& store) {
  std::uint64_t gone = 0;
  std::int64_t next = 0;
  for (bool ended = false; !ended;) {
    const auto slice = reader.parts_of(store, next, kWalkRows);
    if (!slice) return slice.error();
    next = slice->next;
    ended = slice->ended;
    ReplicaBatch batch;
    batch.master = store;
    batch.forgets = true;
    for (const PartRecord& record : slice->records) {
      batch.records.emplace_back(PartRecord{record.digest, {}});
    }
    gone += batch.records.size();
    if (Status done = commit(engine, std::move(batch)); !done) return done.error();
  }
  const auto known = reader.stores();
  if (!known) return known.error();
  if (std::ranges::find(*known, store, &sqlite::ReplicaReader::Known::id) != known->end()) {
    return Error{ErrorCode::kCorrupt, "there are parts without a hash, see `shingled verify`"};
  }
  return gone;
}

}  // namespace shingled::storage::replication
