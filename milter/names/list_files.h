#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/document/places.h"
#include "config/system/whole_file.h"
#include "milter/names/name_list.h"

namespace shingled::milter::names {

/// A file, and how it is read.
struct ListFile {
  std::string path;
  ListForm form;
  friend auto operator<=>(const ListFile&, const ListFile&) = default;
};

/// The content of lists at one moment. A file that does not exist is an empty list; one that could
/// never be read is not there.
/// Threads: a value.
class Lists {
 public:
  void set(const ListFile& file, std::shared_ptr<const NameList> list) {
    lists_[file] = std::move(list);
  }
  /// nullptr: it is not known what is in the file.
  [[nodiscard]] const NameList* find(const ListFile& file) const {
    const auto found = lists_.find(file);
    return found == lists_.end() ? nullptr : found->second.get();
  }

 private:
  std::map<ListFile, std::shared_ptr<const NameList>> lists_;
};

/// The lists in force; a message takes them once.
/// Threads: any thread.
class CurrentLists {
 public:
  [[nodiscard]] std::shared_ptr<const Lists> get() const { return *lists_.lock(); }
  void set(std::shared_ptr<const Lists> lists) { lists.swap(*lists_.lock()); }

 private:
  mutable Guarded<std::shared_ptr<const Lists>> lists_{std::in_place,
                                                       std::make_shared<const Lists>()};
};

/// Reads a list.
/// Errors:  kDenied, kLimit, kUnavailable; each names the path. A file that does not exist is an
///          empty list.
Result<std::shared_ptr<const NameList>> read_list(const ListFile& file);

/// The lists of some settings, read again when they change. A file that cannot be read any more
/// keeps its content. The log tells what was read and which lines are wrong, once for each change.
/// Threads: `use` and `refresh` on one thread.
/// Cost:    of `refresh` a stat(2) for each file; only changed files are read.
class ListFiles {
 public:
  explicit ListFiles(Logger& logger) : logger_(logger) {}

  /// These are wanted from now on.
  void use(const std::vector<ListFile>& files);
  /// Call it about once a second.
  void refresh();
  [[nodiscard]] const std::shared_ptr<const CurrentLists>& current() const { return shown_; }

 private:
  struct Known {
    FileStamp stamp;
    std::shared_ptr<const NameList> list;  ///< null: could never be read
  };
  Known read(const ListFile& file, const std::shared_ptr<const NameList>& before);
  void show();

  Logger& logger_;
  std::map<ListFile, Known> files_;
  const std::shared_ptr<CurrentLists> current_ = std::make_shared<CurrentLists>();
  const std::shared_ptr<const CurrentLists> shown_ = current_;
};

/// Lists that are read once, for commands.
std::shared_ptr<const CurrentLists> lists_now(const std::vector<ListFile>& files);

/// What is wrong with the lists of some settings: a wrong line is a warning with file and line, as
/// the others are in force; a file that cannot be read, or that a rule names and that does not
/// exist, is an error.
std::vector<config::Problem> list_problems(std::span<const ListFile> files);

}  // namespace shingled::milter::names
