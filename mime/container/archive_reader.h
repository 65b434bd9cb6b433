#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mime/container/container_kind.h"

namespace shingled::mime {

/// Walks through the entries of one container in memory: the one place that knows libarchive.
///
/// Reads nothing but the bytes it is lent, writes nothing, starts no program: of libarchive only
/// the one format or compression that the bytes were sniffed for is switched on, and only if it is
/// built in. A name is a label, whatever it looks like.
///
/// No step unpacks more than a few hundred KB, so that whoever calls can stop in time. For this
/// every entry must be read to its end before the next one: libarchive would unpack what it skips.
/// Threads: one thread an object.
/// Cost: of a zip, some 200 bytes an entry for its directory.
class ArchiveReader {
 public:
  /// `bytes` are of that kind (not kNone) and must outlive the reader.
  ArchiveReader(ContainerKind kind, std::string_view bytes);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  enum class Step : std::uint8_t {
    kMore,       ///< an entry, or a block of one
    kEnd,        ///< no more of them
    kEncrypted,  ///< the entry is there, what it holds cannot be read
    kBroken,     ///< malformed, or packed in a way we do not know: of this entry nothing more
    kFatal,      ///< malformed: of the whole container nothing more
  };
  /// To the next entry. kMore, kEnd or kFatal.
  Step next();
  /// Of the entry, a block of what it holds; valid until the next call. A block may be empty. After
  /// anything but kMore it is over with this entry.
  Step read(std::string_view& block);

  /// Cut after kNameBytesMax bytes; UTF-8 as far as the container tells; empty for what is only
  /// compressed. May be anything: "../x", "/etc/passwd".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Not a folder, link or device.
  [[nodiscard]] bool is_file() const { return is_file_; }

  static constexpr std::size_t kNameBytesMax = 255;

 private:
  class Handle;
  bool read_in_order();
  Step failed_read(int result);

  ContainerKind kind_;
  std::string_view bytes_;
  std::unique_ptr<Handle> handle_;
  std::string name_;
  bool is_file_ = false;
  bool is_encrypted_ = false;
  bool in_order_ = false;  ///< a zip without its directory, read from front to back
  bool first_ = true;
  bool dead_ = false;  ///< it is not safe to go on
};

}  // namespace shingled::mime
