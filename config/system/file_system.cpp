#include "config/system/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"
#include "config/system/permission.h"
#include "config/system/unique_fd.h"

namespace shingled {

namespace {

constexpr mode_t kGroupMode = 0640;
constexpr mode_t kOwnerMode = 0600;

class FolderAppendFile final : public AppendFile {
 public:
  explicit FolderAppendFile(UniqueFd fd) : fd_(std::move(fd)) {}

  Status append(BytesView bytes) override {
    if (is_broken_)
      return Error{ErrorCode::kUnavailable, "an earlier write failed and could not be undone"};
    Status written = write_all(fd_.get(), bytes);
    if (written)
      size_ += bytes.size();
    else
      is_broken_ = ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0;
    return written;
  }

  Status sync() override {
    if (::fdatasync(fd_.get()) != 0) return os_write_error(errno, "fdatasync");
    return {};
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  bool is_broken_ = false;
};

class FolderMappedFile final : public MappedFile {
 public:
  FolderMappedFile(void* data, std::size_t size) : data_(data), size_(size) {}
  ~FolderMappedFile() override {
    if (size_ > 0) ::munmap(data_, size_);
  }
  FolderMappedFile(const FolderMappedFile&) = delete;
  FolderMappedFile& operator=(const FolderMappedFile&) = delete;
  FolderMappedFile(FolderMappedFile&&) = delete;
  FolderMappedFile& operator=(FolderMappedFile&&) = delete;

  [[nodiscard]] BytesView bytes() const override {
    return {static_cast<const std::uint8_t*>(data_), size_};
  }

 private:
  void* data_;
  std::size_t size_;
};

class FolderFileHold final : public FileHold {
 public:
  explicit FolderFileHold(UniqueFd fd) : fd_(std::move(fd)) {}

 private:
  UniqueFd fd_;  // its end is the end of the lock
};

struct OpenedFile {
  UniqueFd fd;
  struct stat about {};
};

/// A regular file, for reading.
Result<OpenedFile> open_regular(const std::string& path) {
  OpenedFile out;
  // Opening a pipe without a writer would block.
  out.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const bool is_other = !out.fd && (errno == ELOOP || errno == ENXIO);  // a link, a socket
  if (!is_other && (!out.fd || ::fstat(out.fd.get(), &out.about) != 0))
    return os_error(errno, path);
  if (is_other || !S_ISREG(out.about.st_mode))
    return Error{ErrorCode::kCorrupt, path + ": is not a regular file"};
  return out;
}

class Folder final : public FileSystem {
 public:
  Folder(std::string path, mode_t mode) : path_(std::move(path)), mode_(mode) {}

  Result<std::unique_ptr<AppendFile>> create(const std::string& name) override {
    UniqueFd fd(::open(place(name).c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode_));
    if (!fd) return os_write_error(errno, place(name));
    give_to_folder_owner(fd.get(), place(name));
    return std::unique_ptr<AppendFile>(std::make_unique<FolderAppendFile>(std::move(fd)));
  }

  Result<std::unique_ptr<MappedFile>> map(const std::string& name) override {
    const auto file = open_regular(place(name));
    if (!file) return file.error();
    const auto size = static_cast<std::size_t>(file->about.st_size);
    void* data = nullptr;
    if (size > 0) {
      data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file->fd.get(), 0);
      if (data == MAP_FAILED) return os_error(errno, place(name));
      ::madvise(data, size, MADV_RANDOM);
    }
    return std::unique_ptr<MappedFile>(std::make_unique<FolderMappedFile>(data, size));
  }

  Result<HeldFile> hold(const std::string& name) override {
    auto file = open_regular(place(name));
    if (!file) return file.error();
    HeldFile out{nullptr, file->about.st_uid};
    if (::flock(file->fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return out;
      return os_error(errno, place(name));
    }
    // Whoever had it may have removed it before it let go.
    if (::fstat(file->fd.get(), &file->about) != 0) return os_error(errno, place(name));
    if (file->about.st_nlink == 0) return os_error(ENOENT, place(name));
    out.hold = std::make_unique<FolderFileHold>(std::move(file->fd));
    return out;
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(place(from).c_str(), place(to).c_str()) != 0)
      return os_write_error(errno, place(from));
    return {};
  }

  Status remove(const std::string& name) override {
    if (::unlink(place(name).c_str()) != 0 && errno != ENOENT)
      return os_write_error(errno, place(name));
    return {};
  }

  Status sync(const std::string& name) override {
    const UniqueFd fd(::open(place(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd && errno == ENOENT) return {};
    if (!fd || ::fdatasync(fd.get()) != 0) return os_write_error(errno, place(name));
    return {};
  }

  Status sync_names() override {
    const UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return os_write_error(errno, path_);
    return {};
  }

  Result<std::vector<std::string>> names() override {
    DIR* const folder = ::opendir(path_.c_str());
    if (folder == nullptr) return os_error(errno, path_);
    std::vector<std::string> out;
    while (const dirent* entry = ::readdir(folder)) {
      const std::string name = static_cast<const char*>(entry->d_name);
      if (name != "." && name != "..") out.push_back(name);
    }
    ::closedir(folder);
    return out;
  }

  Result<std::uint64_t> free_bytes() override {
    struct statvfs about {};
    if (::statvfs(path_.c_str(), &about) != 0) return os_error(errno, path_);
    return std::uint64_t{about.f_bavail} * about.f_frsize;
  }

 private:
  [[nodiscard]] std::string place(const std::string& name) const { return path_ + "/" + name; }

  const std::string path_;
  const mode_t mode_;
};

}  // namespace

std::unique_ptr<FileSystem> folder_files(std::string path, NewFiles mode) {
  return std::make_unique<Folder>(std::move(path),
                                  mode == NewFiles::kOwnerReads ? kOwnerMode : kGroupMode);
}

}  // namespace shingled
