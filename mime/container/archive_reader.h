#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mime/container/container.h"

namespace shingled::mime {

/// Walks through the entries of a container in memory. The only user of libarchive.
///
/// It reads only the bytes it is given, writes nothing and starts no program: of libarchive only
/// the sniffed format or compression is enabled, and only if it is built in. Names are labels,
/// never paths.
///
/// No step unpacks more than a few hundred KB, so that the caller can stop in time. For this, every
/// entry must be read to its end before the next one: libarchive unpacks the entries it skips.
/// Threads: one thread an object.
/// Cost:    for a zip about 200 bytes an entry for its directory.
class ArchiveReader {
 public:
  /// `bytes` must be of that kind (not kNone) and outlive the reader.
  ArchiveReader(ContainerKind kind, std::string_view bytes);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  enum class Step : std::uint8_t {
    kMore,       ///< an entry, or a block of one
    kEnd,        ///< the end of the entries, or of the entry
    kEncrypted,  ///< the content of the entry is encrypted
    kBroken,     ///< the rest of this entry is malformed or packed in an unknown way
    kFatal,      ///< the rest of the container is malformed
  };
  /// Moves to the next entry. Returns kMore, kEnd or kFatal.
  Step next();
  /// Reads the next block of the entry; valid until the next call, may be empty. After any result
  /// but kMore the entry is finished.
  Step read(std::string_view& block);

  /// At most kNameBytesMax bytes; UTF-8 if the container says how it is encoded; empty for a
  /// compressed file. May be anything: "../x", "/etc/passwd".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Whether it is a regular file, not a folder, link or device.
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
  bool in_order_ = false;  ///< a zip without a directory, read from front to back
  bool first_ = true;
  bool dead_ = false;  ///< continuing is not safe
};

}  // namespace shingled::mime
