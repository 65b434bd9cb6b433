#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/system/file_system.h"

namespace shingled::testing {

/// A folder in memory that can fail, and lose what was not synced.
/// Threads: any thread.
class MemoryFiles final : public FileSystem {
 public:
  /// The n-th write from now on fails (0 = the next one), and all after it, until `repair`. Every
  /// append, sync, rename and removal is a write.
  void fail_at(std::uint64_t writes) {
    const std::lock_guard lock(mutex_);
    writes_left_ = writes;
    fails_ = true;
  }
  void repair() {
    const std::lock_guard lock(mutex_);
    fails_ = false;
  }
  /// As if the power was cut: files have the content and the names of their last sync.
  void cut_power() {
    const std::lock_guard lock(mutex_);
    files_ = durable_names_;
    for (auto& [name, file] : files_)
      file->content.resize(std::min(file->synced, file->durable_max));
  }
  /// As above, but of what was not synced some is there all the same: any beginning of the bytes,
  /// some of it zeros, and any of the names and removals.
  /// `below`: a random number below its argument.
  void cut_power(const std::function<std::size_t(std::size_t)>& below) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::shared_ptr<File>> left;
    for (const auto* names : {&files_, &durable_names_})
      for (const auto& [name, file] : *names) {
        const auto& chosen = below(2) == 0 ? files_ : durable_names_;
        if (const auto found = chosen.find(name); found != chosen.end())
          left.insert(*found);
        else
          left.erase(name);
      }
    for (auto& [name, file] : left) {
      Bytes& content = file->content;
      content.resize(file->synced + below(content.size() - file->synced + 1));
      const std::size_t whole = file->synced + below(content.size() - file->synced + 1);
      if (below(2) == 0)
        std::fill(content.begin() + static_cast<std::ptrdiff_t>(whole), content.end(), 0);
      file->synced = content.size();
    }
    files_ = left;
    durable_names_ = std::move(left);
  }
  /// As the system does after a sync that failed: what was written before counts as synced for it,
  /// but is not on the disk, and no later sync puts it there.
  void drop_unsynced() {
    const std::lock_guard lock(mutex_);
    for (auto& [name, file] : files_)
      if (file->synced < file->content.size())
        file->durable_max = std::min(file->durable_max, file->synced);
  }
  /// What a power cut would take.
  [[nodiscard]] std::size_t unsynced_bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [name, file] : files_)
      bytes += file->content.size() - (durable_names_.contains(name) ? file->synced : 0);
    return bytes;
  }
  [[nodiscard]] std::uint64_t writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  /// The content of a file, to be looked at or damaged. Only while nobody has it mapped.
  Bytes& content(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return files_.at(name)->content;
  }
  [[nodiscard]] bool has(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return files_.contains(name);
  }

  Result<std::unique_ptr<AppendFile>> create(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (Status allowed = write(); !allowed) return allowed.error();
    auto file = std::make_shared<File>();
    files_[name] = file;
    return std::unique_ptr<AppendFile>(std::make_unique<Appending>(*this, std::move(file)));
  }
  /// From now on, nobody may read this file.
  void deny(const std::string& name) {
    const std::lock_guard lock(mutex_);
    denied_.insert(name);
  }
  void allow(const std::string& name) {
    const std::lock_guard lock(mutex_);
    denied_.erase(name);
  }
  Result<std::unique_ptr<MappedFile>> map(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (denied_.contains(name)) return Error{ErrorCode::kDenied, name + ": permission denied"};
    const auto found = files_.find(name);
    if (found == files_.end()) return Error{ErrorCode::kNotFound, name + ": not there"};
    return std::unique_ptr<MappedFile>(std::make_unique<Mapped>(found->second->content));
  }
  /// From now on, another process has this file, or nobody.
  void set_held(const std::string& name, bool held) {
    const std::lock_guard lock(mutex_);
    if (held) {
      held_.insert(name);
    } else {
      held_.erase(name);
    }
  }
  Result<HeldFile> hold(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (denied_.contains(name)) return Error{ErrorCode::kDenied, name + ": permission denied"};
    if (!files_.contains(name)) return Error{ErrorCode::kNotFound, name + ": not there"};
    return HeldFile{held_.contains(name) ? nullptr : std::make_unique<FileHold>(), 0};
  }
  Status rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    if (Status allowed = write(); !allowed) return allowed;
    files_[to] = files_.at(from);
    files_.erase(from);
    return {};
  }
  Status remove(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (Status allowed = write(); !allowed) return allowed;
    files_.erase(name);
    return {};
  }
  Status sync(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (Status allowed = write(); !allowed) return allowed;
    if (const auto found = files_.find(name); found != files_.end())
      found->second->synced = found->second->content.size();
    return {};
  }
  Status sync_names() override {
    const std::lock_guard lock(mutex_);
    if (Status allowed = write(); !allowed) return allowed;
    durable_names_ = files_;
    return {};
  }
  Result<std::vector<std::string>> names() override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [name, file] : files_) out.push_back(name);
    return out;
  }
  Result<std::uint64_t> free_bytes() override {
    const std::lock_guard lock(mutex_);
    return free_bytes_;
  }
  /// What `free_bytes` says from now on; more can be written all the same.
  void set_free_bytes(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    free_bytes_ = bytes;
  }

 private:
  struct File {
    Bytes content;
    std::size_t synced = 0;
    std::size_t durable_max = SIZE_MAX;  ///< whatever is synced later
  };

  class Appending final : public AppendFile {
   public:
    Appending(MemoryFiles& folder, std::shared_ptr<File> file)
        : folder_(folder), file_(std::move(file)) {}
    Status append(BytesView bytes) override {
      const std::lock_guard lock(folder_.mutex_);
      if (Status allowed = folder_.write(); !allowed) return allowed;
      file_->content.insert(file_->content.end(), bytes.begin(), bytes.end());
      return {};
    }
    Status sync() override {
      const std::lock_guard lock(folder_.mutex_);
      if (Status allowed = folder_.write(); !allowed) return allowed;
      file_->synced = file_->content.size();
      return {};
    }
    [[nodiscard]] std::uint64_t size() const override {
      const std::lock_guard lock(folder_.mutex_);
      return file_->content.size();
    }

   private:
    MemoryFiles& folder_;
    std::shared_ptr<File> file_;
  };

  /// A copy, as the file may grow meanwhile.
  class Mapped final : public MappedFile {
   public:
    explicit Mapped(Bytes content) : content_(std::move(content)) {}
    [[nodiscard]] BytesView bytes() const override { return content_; }

   private:
    Bytes content_;
  };

  Status write() {
    ++writes_;
    if (fails_ && writes_left_ == 0) return Error{ErrorCode::kUnavailable, "the disk is full"};
    if (fails_) --writes_left_;
    return {};
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<File>> files_;
  std::map<std::string, std::shared_ptr<File>> durable_names_;
  std::set<std::string> denied_;
  std::set<std::string> held_;
  std::uint64_t free_bytes_ = 1ULL << 40U;
  std::uint64_t writes_ = 0;
  std::uint64_t writes_left_ = 0;
  bool fails_ = false;
};

}  // namespace shingled::testing
