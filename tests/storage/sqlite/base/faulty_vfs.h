#pragma once

#include <atomic>
#include <cstdint>

namespace shingled::storage::sqlite {

/// A VFS that simulates a faulty disk on command. It passes calls on to the system's VFS, and is
/// SQLite's default while it exists. Faults hit all files that are opened meanwhile.
/// Threads: any thread may arm and disarm.
class FaultyVfs {
 public:
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  /// After `writes` more successful writes (or syncs) each one fails with `sqlite_code`, until
  /// `heal`.
  void fail_after(std::int64_t writes, int sqlite_code);
  /// A full disk: every write that would make a file larger fails, until `heal`; other writes
  /// succeed.
  void fill_up();
  /// Every attempt to lock for writing finds the file locked, until `heal`.
  void lock_out();
  void heal();
  /// Number of writes and syncs since the beginning: the range for `fail_after`.
  [[nodiscard]] std::int64_t writes() const;
  /// Number of syncs since the beginning that succeeded.
  [[nodiscard]] std::int64_t syncs() const;
};

}  // namespace shingled::storage::sqlite
