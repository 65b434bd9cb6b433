#include "storage/server/update_desk.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace shingled::storage {

namespace {

/// For what is said after the commit, by the writer, which goes on whatever becomes of it: who gets
/// no answer asks again.
template <typename Work>
void if_memory_allows(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

Mailbox::Mailbox() : event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

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
  std::uint64_t ignored = 0;
  (void)!read(event_.get(), &ignored, sizeof ignored);  // first the bell, then the box
  return std::exchange(*finished_.lock(), {});
}

void Mailbox::wake() {
  const std::uint64_t one = 1;
  (void)!write(event_.get(), &one, sizeof one);
}

UpdateDesk::UpdateDesk(std::size_t workers) {
  for (std::size_t i = 0; i < workers; ++i) mailboxes_.push_back(std::make_unique<Mailbox>());
}

void UpdateDesk::remember(std::span<const UpdateName> done, TimePoint now) {
  auto state = state_.lock();
  for (const UpdateName& name : done) state->done.insert(name, now);
}

UpdateDesk::Taken UpdateDesk::submit(FuzzyStore& store, const PendingUpdate& pending,
                                     WaitingUpdate waiting, TimePoint now) {
  {
    auto state = state_.lock();
    if (state->done.contains(pending.update.name, now)) return Taken::kKnownDone;
    // In with its first waiter in one step: one without would keep its repeats waiting for ever.
    std::vector<WaitingUpdate> alone(1);
    alone.front() = std::move(waiting);
    const auto [entry, is_first] =
        state->waiting.try_emplace(pending.update.name, std::move(alone));
    if (!is_first) {
      if (entry->second.size() >= kWaitersMax) return Taken::kUnheard;
      entry->second.push_back(std::move(alone.front()));  // not moved yet: see try_emplace
      return Taken::kRepeat;
    }
    ++state->unfinished;
  }
  const auto done = [desk = shared_from_this(), name = pending.update.name,
                     now](const Status& status) { desk->finish(name, now, status.has_value()); };
  try {
    store.submit(pending.update, done);
  } catch (const std::bad_alloc&) {
    done(Error{ErrorCode::kLimit, "out of memory"});
  }
  return Taken::kFirst;
}

bool UpdateDesk::idle() { return state_.lock()->unfinished == 0; }

void UpdateDesk::finish(const UpdateName& name, TimePoint submitted, bool stored) {
  std::vector<WaitingUpdate> clients;
  {
    auto state = state_.lock();
    if (auto node = state->waiting.extract(name)) clients = std::move(node.mapped());
    if (stored) if_memory_allows([&] { state->done.insert(name, submitted); });
  }
  for (WaitingUpdate& client : clients) {
    Mailbox& mailbox = *mailboxes_[client.worker];
    if_memory_allows([&] { mailbox.put({std::move(client), stored}); });
  }
  --state_.lock()->unfinished;
}

}  // namespace shingled::storage
