#include "tests/storage/sqlite/base/faulty_vfs.h"

#include <sqlite3.h>

#include <limits>

namespace shingled::storage::sqlite {
namespace {

/// One per process, like VFSs: C callbacks have no other way to reach it.
struct Faults {
  sqlite3_vfs* system = nullptr;
  sqlite3_vfs vfs{};
  std::atomic<std::int64_t> writes{0};
  std::atomic<std::int64_t> syncs{0};
  std::atomic<std::int64_t> good_writes{std::numeric_limits<std::int64_t>::max()};
  std::atomic<int> code{SQLITE_OK};
  std::atomic<bool> locked_out{false};
  std::atomic<bool> full{false};
};

Faults& faults() {
  static Faults the_faults;
  return the_faults;
}

/// SQLITE_OK, or the code with which the next write must fail.
int next_write() {
  Faults& all = faults();
  return all.writes.fetch_add(1) < all.good_writes.load() ? SQLITE_OK : all.code.load();
}

/// The file that SQLite sees; the system's file is directly behind it in memory.
struct File {
  sqlite3_file base;
};
sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}

template <auto kMethod>
struct Forward;
template <typename... Args, int (*sqlite3_io_methods::*kMethod)(sqlite3_file*, Args...)>
struct Forward<kMethod> {
  static int call(sqlite3_file* file, Args... args) {
    return (real(file)->pMethods->*kMethod)(real(file), args...);
  }
  static int faulty(sqlite3_file* file, Args... args) {
    if (const int code = next_write(); code != SQLITE_OK) return code;
    return call(file, args...);
  }
};

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  sqlite3_int64 size = 0;
  if (faults().full &&
      (real(file)->pMethods->xFileSize(real(file), &size) != SQLITE_OK || at + count > size)) {
    return SQLITE_FULL;
  }
  return Forward<&sqlite3_io_methods::xWrite>::faulty(file, bytes, count, at);
}

int sync_file(sqlite3_file* file, int flags) {
  const int code = Forward<&sqlite3_io_methods::xSync>::faulty(file, flags);
  if (code == SQLITE_OK) ++faults().syncs;
  return code;
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  constexpr int kWriterLock = 0;  // WAL_WRITE_LOCK
  if (faults().locked_out && offset == kWriterLock && (flags & SQLITE_SHM_LOCK) != 0) {
    return SQLITE_BUSY;
  }
  return Forward<&sqlite3_io_methods::xShmLock>::call(file, offset, count, flags);
}
void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }

const sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = Forward<&sqlite3_io_methods::xClose>::call,
    .xRead = Forward<&sqlite3_io_methods::xRead>::call,
    .xWrite = write_file,
    .xTruncate = Forward<&sqlite3_io_methods::xTruncate>::faulty,
    .xSync = sync_file,
    .xFileSize = Forward<&sqlite3_io_methods::xFileSize>::call,
    .xLock = Forward<&sqlite3_io_methods::xLock>::call,
    .xUnlock = Forward<&sqlite3_io_methods::xUnlock>::call,
    .xCheckReservedLock = Forward<&sqlite3_io_methods::xCheckReservedLock>::call,
    .xFileControl = Forward<&sqlite3_io_methods::xFileControl>::call,
    .xSectorSize = Forward<&sqlite3_io_methods::xSectorSize>::call,
    .xDeviceCharacteristics = Forward<&sqlite3_io_methods::xDeviceCharacteristics>::call,
    .xShmMap = Forward<&sqlite3_io_methods::xShmMap>::call,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = Forward<&sqlite3_io_methods::xShmUnmap>::call,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  real(file)->pMethods = nullptr;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): SQLite opens only what was registered
  const int code = faults().system->xOpen(faults().system, name, real(file), flags, out_flags);
  if (real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}

}  // namespace

FaultyVfs::FaultyVfs() {
  heal();
  Faults& all = faults();
  all.system = sqlite3_vfs_find(nullptr);
  all.vfs = *all.system;
  all.vfs.pNext = nullptr;
  all.vfs.zName = "faulty";
  all.vfs.szOsFile = all.system->szOsFile + static_cast<int>(sizeof(File));
  all.vfs.xOpen = open_file;
  sqlite3_vfs_register(&all.vfs, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_register(faults().system, 1);
  sqlite3_vfs_unregister(&faults().vfs);
}

void FaultyVfs::fail_after(std::int64_t writes, int sqlite_code) {
  faults().code = sqlite_code;
  faults().good_writes = faults().writes + writes;
}

void FaultyVfs::fill_up() { faults().full = true; }

void FaultyVfs::lock_out() { faults().locked_out = true; }

void FaultyVfs::heal() {
  faults().good_writes = std::numeric_limits<std::int64_t>::max();
  faults().locked_out = false;
  faults().full = false;
}

std::int64_t FaultyVfs::writes() const { return faults().writes; }

std::int64_t FaultyVfs::syncs() const { return faults().syncs; }

}  // namespace shingled::storage::sqlite
