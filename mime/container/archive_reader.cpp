#include "mime/container/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <clocale>
#include <cstring>

namespace shingled::mime {

namespace {

/// Sets the locale of this thread to UTF-8 while it lives: libarchive converts names to its
/// charset.
class Utf8Names {
 public:
  Utf8Names() : before_(kUtf8 != locale_t{} ? ::uselocale(kUtf8) : locale_t{}) {}
  ~Utf8Names() {
    if (before_ != locale_t{}) ::uselocale(before_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  static const locale_t kUtf8;
  locale_t before_;
};

const locale_t Utf8Names::kUtf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});

}  // namespace

class ArchiveReader::Handle {
 public:
  Handle() : archive_(::archive_read_new()) {}
  ~Handle() {
    if (archive_ != nullptr) ::archive_read_free(archive_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// ARCHIVE_WARN would mean that libarchive starts a program for it.
  bool open(ContainerKind kind, bool in_order, std::string_view bytes) {
    return archive_ != nullptr && enable(kind, in_order) == ARCHIVE_OK &&
           ::archive_read_open_memory(archive_, bytes.data(), bytes.size()) == ARCHIVE_OK;
  }
  [[nodiscard]] ::archive* get() const { return archive_; }

 private:
  int enable(ContainerKind kind, bool in_order) {
    switch (kind) {
      case ContainerKind::kNone:
        return ARCHIVE_FATAL;
      case ContainerKind::kZip:
        return in_order ? ::archive_read_support_format_zip_streamable(archive_)
                        : ::archive_read_support_format_zip_seekable(archive_);
      case ContainerKind::kTar:
        return ::archive_read_support_format_tar(archive_);
      case ContainerKind::kGzip:
        return compressed(ARCHIVE_FILTER_GZIP);
      case ContainerKind::kBzip2:
        return compressed(ARCHIVE_FILTER_BZIP2);
      case ContainerKind::kXz:
        return compressed(ARCHIVE_FILTER_XZ);
      case ContainerKind::kZstd:
        return compressed(ARCHIVE_FILTER_ZSTD);
      case ContainerKind::kLz4:
        return compressed(ARCHIVE_FILTER_LZ4);
    }
    return ARCHIVE_FATAL;
  }
  /// Adds the filter once: if libarchive looked for filters itself, it would unpack nested
  /// compression in one step.
  int compressed(int filter) {
    const int added = ::archive_read_append_filter(archive_, filter);
    return added == ARCHIVE_OK ? ::archive_read_support_format_raw(archive_) : added;
  }

  ::archive* archive_;
};

ArchiveReader::ArchiveReader(ContainerKind kind, std::string_view bytes)
    : kind_(kind), bytes_(bytes), handle_(std::make_unique<Handle>()) {
  dead_ = !handle_->open(kind, false, bytes) && !read_in_order();
}

/// Reopens a zip whose directory is missing or wrong.
bool ArchiveReader::read_in_order() {
  if (kind_ != ContainerKind::kZip || in_order_) return false;
  in_order_ = true;
  handle_ = std::make_unique<Handle>();
  return handle_->open(kind_, true, bytes_);
}

ArchiveReader::~ArchiveReader() = default;

ArchiveReader::Step ArchiveReader::next() {
  if (dead_) return Step::kFatal;
  const Utf8Names utf8;
  ::archive_entry* entry = nullptr;
  int result = ::archive_read_next_header(handle_->get(), &entry);
  if (result == ARCHIVE_FATAL && first_ && read_in_order()) {
    result = ::archive_read_next_header(handle_->get(), &entry);
  }
  first_ = false;
  if (result == ARCHIVE_EOF) return in_order_ ? Step::kFatal : Step::kEnd;  // the rest is missing
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return Step::kFatal;
  is_encrypted_ = ::archive_entry_is_data_encrypted(entry) != 0;
  const auto type = ::archive_entry_filetype(entry);
  is_file_ = type == AE_IFREG || type == 0;
  const char* name = ::archive_entry_pathname(entry);
  const bool named =
      name != nullptr && (kind_ == ContainerKind::kZip || kind_ == ContainerKind::kTar);
  name_.assign(named ? std::string_view(name, ::strnlen(name, kNameBytesMax)) : "");
  return Step::kMore;
}

ArchiveReader::Step ArchiveReader::read(std::string_view& block) {
  block = {};
  if (dead_) return Step::kFatal;
  if (is_encrypted_) {
    dead_ = in_order_;  // its end is unknown
    return Step::kEncrypted;
  }
  const void* data = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;  // holes of sparse files are skipped
  const int result = ::archive_read_data_block(handle_->get(), &data, &size, &offset);
  if (result == ARCHIVE_EOF) return Step::kEnd;
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return failed_read(result);
  if (data != nullptr) block = {static_cast<const char*>(data), size};
  return result == ARCHIVE_OK ? Step::kMore
                              : Step::kBroken;  // "wrong size": the content is complete
}

/// In a zip, the directory says where the next entry is even if this one is broken.
ArchiveReader::Step ArchiveReader::failed_read(int result) {
  dead_ = result == ARCHIVE_FATAL || in_order_ || kind_ != ContainerKind::kZip;
  return dead_ ? Step::kFatal : Step::kBroken;
}

}  // namespace shingled::mime
