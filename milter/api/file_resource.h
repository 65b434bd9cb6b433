#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "config/options/settings.h"
#include "milter/api/route.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::api {

/// The known files of section `similar`:
///
///   GET /api/1/files?list=&part=&cursor=&most=   (milter/API.md)
///
/// Threads: any thread. Reads a file.
class FileResource {
 public:
  static constexpr std::size_t kFilesMost = 10'000;  ///< in one answer

  /// Null: known files are not looked up here.
  using Library = std::function<std::shared_ptr<const storage::similar::SampleLibrary>()>;
  /// The settings in force; never null.
  using SettingsNow = std::function<std::shared_ptr<const Settings>()>;
  FileResource(Library library, SettingsNow settings)
      : library_(std::move(library)), settings_(std::move(settings)) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply list(const Call& call) const;

  Library library_;
  SettingsNow settings_;
};

}  // namespace shingled::milter::api
