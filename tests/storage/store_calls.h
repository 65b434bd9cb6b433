#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// For fixtures: short calls for updates and questions.
class StoreCalls {
 protected:
  static Update add(const Fingerprint& what, std::int32_t value = 1, std::uint32_t flag = 1) {
    return {.kind = Update::Kind::kAdd, .flag = flag, .value = value, .fingerprint = what};
  }
  static Update remove(const Fingerprint& what, std::uint32_t flag = 0) {
    return {.kind = Update::Kind::kDelete, .flag = flag, .fingerprint = what};
  }
  static std::optional<Match> check_in(const FuzzyStore& store, const Fingerprint& what,
                                       std::uint32_t now) {
    return store.check(what.digest, what.shingles ? &*what.shingles : nullptr, now);
  }
  /// Submits an update and waits for its end.
  static Status apply_to(FuzzyStore& store, const Update& update) {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Status> outcome;
    store.submit(update, [&](const Status& status) {
      const std::lock_guard lock(mutex);
      outcome = status;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return outcome.has_value(); });
    return *outcome;
  }
};

}  // namespace shingled::storage
