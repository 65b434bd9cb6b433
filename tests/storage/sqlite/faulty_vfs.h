#pragma once

#include <atomic>
#include <cstdint>

namespace shingled::storage::sqlite {

/// What a disk can do to SQLite, on command: a VFS around the system's, and the default while it
/// lives. Faults hit every file opened meanwhile.
/// Threads: any thread may arm and disarm.
class FaultyVfs {
 public:
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  /// After `writes` more good writes (or syncs) each one fails with `sqlite_code`, until `heal`.
  void fail_after(std::int64_t writes, int sqlite_code);
  /// A disk without room: what would make a file larger fails, until `heal`; the rest goes on.
  void fill_up();
  /// Every attempt to lock for writing finds the file locked, until `heal`.
  void lock_out();
  void heal();
  /// Writes and syncs since the beginning: the range for `fail_after`.
  [[nodiscard]] std::int64_t writes() const;
};

}  // namespace shingled::storage::sqlite
