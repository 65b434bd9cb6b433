#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/system/file_system.h"

namespace shingled::testing {

/// The files of another FileSystem, which the test keeps.
/// Threads: as the other; `hook` is called from any of them.
class BorrowedFiles final : public FileSystem {
 public:
  enum class Call : std::uint8_t { kCreate, kRename, kRemove, kUnmap };

  explicit BorrowedFiles(FileSystem& files) : files_(files) {}

  /// Called before each of these calls with the name of the file (of a rename, the new one); may be
  /// empty.
  std::function<void(Call, const std::string& name)> hook;

  Result<std::unique_ptr<AppendFile>> create(const std::string& name) override {
    before(Call::kCreate, name);
    return files_.create(name);
  }
  Result<std::unique_ptr<MappedFile>> map(const std::string& name) override {
    auto mapped = files_.map(name);
    if (!mapped) return mapped;
    return std::unique_ptr<MappedFile>(std::make_unique<Mapped>(self_, name, *std::move(mapped)));
  }
  Status rename(const std::string& from, const std::string& to) override {
    before(Call::kRename, to);
    return files_.rename(from, to);
  }
  Status remove(const std::string& name) override {
    before(Call::kRemove, name);
    return files_.remove(name);
  }
  Result<HeldFile> hold(const std::string& name) override { return files_.hold(name); }
  Status sync(const std::string& name) override { return files_.sync(name); }
  Status sync_names() override { return files_.sync_names(); }
  Result<std::vector<std::string>> names() override { return files_.names(); }
  Result<std::uint64_t> free_bytes() override { return files_.free_bytes(); }

 private:
  class Mapped final : public MappedFile {
   public:
    Mapped(std::weak_ptr<const BorrowedFiles*> files, std::string name,
           std::unique_ptr<MappedFile> mapped)
        : files_(std::move(files)), name_(std::move(name)), mapped_(std::move(mapped)) {}
    ~Mapped() override {
      if (const auto files = files_.lock()) (*files)->before(Call::kUnmap, name_);
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    [[nodiscard]] BytesView bytes() const override { return mapped_->bytes(); }

   private:
    const std::weak_ptr<const BorrowedFiles*> files_;
    const std::string name_;
    const std::unique_ptr<MappedFile> mapped_;
  };

  void before(Call call, const std::string& name) const {
    if (hook) hook(call, name);
  }

  FileSystem& files_;
  /// For mapped files, which may live longer.
  const std::shared_ptr<const BorrowedFiles*> self_ = std::make_shared<const BorrowedFiles*>(this);
};

}  // namespace shingled::testing
