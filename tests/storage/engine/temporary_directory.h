#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace shingled::storage::engine {

/// A directory that goes with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "shingled-test-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace shingled::storage::engine
