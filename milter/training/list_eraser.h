#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "storage/client/remote_store.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::training {

/// Empties a whole list of the local daemon: reads its file for the hashes on that list, then asks
/// the daemon to forget them.
///
/// A hash that stands on others, too, stays there and loses this list alone, on the daemon's
/// mirrors as well. The protocol has no such deletion; it is an extension of ours (PROTOCOL.md).
///
/// In passes of kPassMax hashes, so that memory is bounded and the file's log can begin anew; what
/// is taught to the list meanwhile goes too. Ends when a pass finds nothing more.
/// Threads: one thread.
class ListEraser {
 public:
  static constexpr std::size_t kPassMax = 262'144;

  struct Counts {
    std::uint64_t only_here = 0;   ///< to be deleted
    std::uint64_t others_too = 0;  ///< that lose this list
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  ListEraser(const std::string& hashfile, std::uint32_t flag, const Clock& clock,
             storage::Watcher watcher)
      : hashfile_(hashfile), flag_(flag), clock_(clock), watcher_(std::move(watcher)) {}

  /// How many there are.
  /// Errors: those of FuzzyTable; Ctrl-C as `storage::stopped`.
  Result<Counts> count();
  /// Sends the updates; `expected` is for the progress only. Tells how many were made.
  /// Errors: as above; the first failure of the daemon, after which nothing more is sent; kInvalid
  /// when the daemon says yes and the file stays as it is, so it is another daemon's.
  Result<Counts> erase(storage::client::RemoteStore& store, const RemoteOptions& remote,
                       const Counts& expected);

 private:
  /// A hash on the list.
  struct StoredHash {
    Digest digest;
    bool others_too = false;  ///< on another list as well
  };

  static void count_one(Counts& counts, const StoredHash& one);
  /// Calls `each` with every hash of the list, until it returns false.
  Status for_each(const std::function<bool(const StoredHash&)>& each);
  Status send(storage::client::RemoteStore& store, const RemoteOptions& remote,
              std::span<const StoredHash> hashes);

  const std::string hashfile_;
  const std::uint32_t flag_;
  const Clock& clock_;
  const storage::Watcher watcher_;
};

}  // namespace shingled::milter::training
