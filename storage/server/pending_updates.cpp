#include "storage/server/pending_updates.h"

#include <new>
#include <utility>

namespace shingled::storage::server {

namespace {

/// Does `work` unless there is no memory for it. Used by the writer after the commit: it must
/// continue in any case, and a client that gets no answer asks again.
template <typename Work>
void if_memory_allows(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

void Mailbox::put(FinishedUpdate finished) {
  bool was_empty = false;
  {
    auto box = finished_.lock();
    was_empty = box->empty();
    box->push_back(std::move(finished));
  }
  if (was_empty) wake();
}

std::vector<FinishedUpdate> Mailbox::take() {
  event_.clear();  // before the box is emptied: a later `put` must wake the worker again
  return std::exchange(*finished_.lock(), {});
}

PendingUpdates::PendingUpdates(std::size_t workers, Clock& clock, const RepeatOptions& repeats)
    : clock_(clock), state_(std::in_place, repeats) {
  for (std::size_t i = 0; i < workers; ++i) mailboxes_.push_back(std::make_unique<Mailbox>());
}

void PendingUpdates::remember(std::span<const UpdateId> done,
                              std::span<const std::uint64_t> seals) {
  const TimePoint now = clock_.now();
  auto state = state_.lock();
  for (const UpdateId& name : done) state->done.insert(name, now);
  for (const std::uint64_t seal : seals) state->seals.insert(seal, now);
}

PendingUpdates::Taken PendingUpdates::submit(FuzzyStore& store, const PendingUpdate& pending,
                                             WaitingUpdate waiting, TimePoint now) {
  const std::uint64_t seal = pending.update.seal;
  {
    auto state = state_.lock();
    if (state->done.contains(pending.update.name, now)) return Taken::kKnownDone;
    if (seal != 0 && state->seals.contains(seal, now)) return Taken::kKnownDone;
    // The entry and its first waiter go in together. If there were no memory for the waiter, an
    // entry without one would make all repeats wait forever.
    std::vector<WaitingUpdate> alone(1);
    alone.front() = std::move(waiting);
    const auto [entry, is_first] =
        state->waiting.try_emplace(pending.update.name, std::move(alone));
    if (!is_first) {
      if (entry->second.size() >= kWaitersMax) return Taken::kUnheard;
      entry->second.push_back(std::move(alone.front()));  // try_emplace has not moved it
      return Taken::kRepeat;
    }
    ++state->unfinished;
  }
  const auto done = [pending = shared_from_this(), name = pending.update.name, seal](
                        const Status& status) { pending->finish(name, seal, status.has_value()); };
  try {
    store.submit(pending.update, done);
  } catch (const std::bad_alloc&) {
    done(Error{ErrorCode::kLimit, "out of memory"});
  }
  return Taken::kFirst;
}

bool PendingUpdates::idle() { return state_.lock()->unfinished == 0; }

/// The repeat window begins here and not at the request: a client repeats its request until it gets
/// the answer, and the commit may come long after the request (`durability: sync`).
void PendingUpdates::finish(const UpdateId& name, std::uint64_t seal, bool stored) {
  const TimePoint now = clock_.now();
  std::vector<WaitingUpdate> clients;
  {
    auto state = state_.lock();
    if (auto node = state->waiting.extract(name)) clients = std::move(node.mapped());
    if (stored) {
      if_memory_allows([&] {
        state->done.insert(name, now);
        if (seal != 0) state->seals.insert(seal, now);
      });
    }
  }
  for (WaitingUpdate& client : clients) {
    Mailbox& mailbox = *mailboxes_[client.worker];
    if_memory_allows([&] { mailbox.put({std::move(client), stored}); });
  }
  --state_.lock()->unfinished;
}

}  // namespace shingled::storage::server
