#pragma once

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "storage/counters/sealed/sealed_files.h"
#include "storage/counters/view/view.h"

namespace shingled::storage::counters {

/// What becomes of files that the catalogue names and nobody can read: they are set aside as gaps,
/// and in the end too old to matter.
/// Errors:  of each function: those of CounterCatalogue.
/// Threads: any thread.
class LostFiles {
 public:
  /// All must outlive it.
  LostFiles(FileSystem& files, SealedFiles& sealed, CurrentView& view)
      : files_(files), sealed_(sealed), view_(view) {}

  /// Takes a file back if it can be opened by now, else makes a gap of it.
  Status set_aside(const sqlite::CataloguedFile& lost);
  /// Forgets a lost file that is too old.
  Status drop(const sqlite::CataloguedFile& lost);
  /// Forgets gaps of days before this one.
  Status expire(Day days_from);

 private:
  FileSystem& files_;
  SealedFiles& sealed_;
  CurrentView& view_;
};

}  // namespace shingled::storage::counters
