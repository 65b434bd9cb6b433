#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/system/whole_file.h"

namespace shingled::config {

/// Files that the settings name, parsed, and read again when they change.
///
///   files.begin();
///   for each file: files.get(kind, path), or give up     // on an error nothing has changed
///   files.end();
///   files.accept();                                      // the new contents are used from now on
///
/// A file that was accepted and is now missing or invalid keeps its accepted content; the log says
/// so once for each change of the file. One path may be read as several kinds.
///
/// `Kind` is how a file is read, an ordered value; `Content` is the result.
/// Threads: one thread.
/// Cost: a stat(2) for each file; only changed files are read.
template <typename Kind, typename Content>
class WatchedFiles {
 public:
  struct Parsed {
    FileStamp stamp;
    Content content;
    std::size_t entries = 0;  ///< for the log
  };
  /// Reads a file. Its errors name the path.
  using Parse = Result<Parsed> (*)(Kind kind, const std::string& path);

  WatchedFiles(Parse parse, Logger& logger) : parse_(parse), logger_(logger) {}

  /// From now on `get` collects; a file that it does not name until `end` is not watched any more.
  void begin() { next_.clear(); }
  /// The content of a file now, or as it was accepted.
  /// Errors: those of `Parse`, for a file that was never accepted.
  Result<std::shared_ptr<const Content>> get(Kind kind, const std::string& path) {
    auto file = file_of({kind, path});
    if (!file) return file.error();
    return next_.insert_or_assign({kind, path}, *std::move(file)).first->second.content;
  }
  void end() { read_ = std::exchange(next_, {}); }
  /// Accepts what was read last; later it replaces content that is invalid.
  void accept() { accepted_ = read_; }
  /// Whether a file has changed since the last reading.
  [[nodiscard]] bool changed() const {
    return std::any_of(read_.begin(), read_.end(), [](const auto& file) {
      return stamp_of(file.first.second) != file.second.stamp;
    });
  }

 private:
  using Name = std::pair<Kind, std::string>;
  struct File {
    FileStamp stamp;  // of the last try
    std::shared_ptr<const Content> content;
  };
  using Files = std::map<Name, File>;

  Result<File> file_of(const Name& name) {
    const auto& [kind, path] = name;
    const FileStamp stamp = stamp_of(path);
    const auto known = read_.find(name);
    if (known != read_.end() && known->second.stamp == stamp) return known->second;
    auto parsed = parse_(kind, path);
    if (parsed) {
      logger_.info(LogLine("list_read").field("file", path).field("entries", parsed->entries));
      return File{parsed->stamp, std::make_shared<const Content>(std::move(parsed->content))};
    }
    const auto good = accepted_.find(name);
    if (good == accepted_.end()) return parsed.error();
    logger_.error(LogLine("list_kept").field("file", path).field("why", parsed.error().message));
    return File{stamp, good->second.content};
  }

  const Parse parse_;
  Logger& logger_;
  Files next_;  // of a reading that has not ended
  Files read_;  // by the last reading that ended
  Files accepted_;
};

}  // namespace shingled::config
