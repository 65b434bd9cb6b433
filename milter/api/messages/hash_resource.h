#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/options/settings.h"
#include "milter/api/messages/forgotten_hashes.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/route.h"
#include "milter/reports/report_desk.h"
#include "storage/engine/engine.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::api {

/// The stored hashes of this daemon:
///
///   GET    /api/1/hashes                   how many, by list
///   GET    /api/1/hashes/{digest}          one: lists, age, who taught it
///   DELETE /api/1/hashes/{digest}?flag=N   forgets it; with try=yes only the effect
///   POST   /api/1/hashes/undo?token=T      puts it back
///
/// milter/API.md has the answers. 400: not a digest. 404: not stored, or nothing to undo. 503: no
/// storage here, or it does not answer; then an update may still be made.
///
/// The reports of people stay: of a hash that is gone they are withdrawn with the next report of it
/// (ReportDesk), so what is put back before is theirs as it was.
/// Threads: any thread. Waits for the storage, at most kPatience.
class HashResource {
 public:
  static constexpr std::chrono::seconds kPatience{10};

  /// The settings in force; never null.
  using SettingsNow = std::function<std::shared_ptr<const Settings>()>;
  struct Setup {
    SettingsNow settings;
    MessageResource::OpenHistory history;
    reports::ReportDesk& desk;
    const Clock& clock;
    Random& random;
  };
  explicit HashResource(Setup setup)
      : setup_(std::move(setup)), forgotten_(std::in_place, setup_.random) {}

  /// Where hashes are stored; `engine` is the same store if it is the embedded one. Null = nowhere.
  /// Returns when those before are not used any more.
  void set_store(storage::FuzzyStore* store, const storage::engine::Engine* engine) {
    *stored_.lock() = {store, engine};
  }

  /// FuzzyStore::most_hit(); empty where there is no storage.
  [[nodiscard]] std::vector<storage::HitCount> most_hit(std::size_t most) const;

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  struct Stores {
    storage::FuzzyStore* store = nullptr;
    const storage::engine::Engine* engine = nullptr;
  };
  /// A hash as it is stored.
  struct Found {
    storage::engine::StoredHash hash;
    bool whole = false;  ///< shingles, source and companion are known, too
    std::optional<std::uint64_t> hits;
  };
  /// nullopt: it is not stored.
  Result<std::optional<Found>> find(const Digest& digest) const;
  /// The hash of a request.
  /// Errors: kInvalid (not a digest), kNotFound; those of `find`.
  Result<Found> find_named(const Call& call) const;
  /// Its lists, or the one that `flag` names.
  /// Errors: kNotFound.
  static Result<std::vector<storage::FlagValue>> lists_of(const Found& found, const Call& call);
  /// Waits for all updates.
  Status apply(const std::vector<storage::Update>& updates, const std::stop_token& stop) const;
  /// The hash, and its other form.
  [[nodiscard]] std::vector<Found> with_companion(const Found& found) const;

  [[nodiscard]] http::HttpReply totals() const;
  [[nodiscard]] http::HttpReply one(const Call& call) const;
  [[nodiscard]] http::HttpReply forget(const Call& call) const;
  [[nodiscard]] http::HttpReply undo(const Call& call) const;
  [[nodiscard]] Json effect_without(const std::vector<Found>& hashes,
                                    const std::vector<storage::FlagValue>& lists,
                                    const std::stop_token& stop) const;

  Setup setup_;
  mutable Guarded<Stores> stored_;  ///< locked while a store is used, so that it does not go
  mutable Guarded<ForgottenHashes> forgotten_;
};

}  // namespace shingled::milter::api
