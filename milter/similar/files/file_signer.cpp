#include "milter/similar/files/file_signer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "config/system/os_error.h"
#include "milter/process/interrupt.h"
#include "milter/similar/files/signature_csv.h"
#include "milter/similar/sample_signer.h"
#include "mime/container/container.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::milter::similar {

namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kOpenTimeMin = std::chrono::minutes(1);

/// The bytes of a file, piece by piece.
class Pieces {
 public:
  explicit Pieces(UniqueFd fd)
      : fd_(std::move(fd)), buffer_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {
    struct stat status {};
    regular_ = ::fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode);
  }

  /// As much as fits; empty = the end.
  Result<std::string_view> next() {
    std::size_t filled = 0;
    while (filled < kReadBytes && !ended_) {
      if (process::interrupted() || (!regular_ && !process::wait_for_bytes(fd_.get()))) {
        return Error{ErrorCode::kTimeout, "interrupted"};
      }
      const ssize_t count = ::read(fd_.get(), buffer_.get() + filled, kReadBytes - filled);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return os_error(errno);
      ended_ = count == 0;
      filled += static_cast<std::size_t>(count);
    }
    return std::string_view(buffer_.get(), filled);
  }
  [[nodiscard]] UniqueFd release() { return std::move(fd_); }

 private:
  UniqueFd fd_;
  std::unique_ptr<char[]> buffer_;
  bool regular_ = false;
  bool ended_ = false;
};

bool is_container(std::string_view beginning) {
  return mime::sniff_container(beginning) != mime::ContainerKind::kNone;
}

/// The contents, and the whole file as the filter signs it.
void open_and_sign(std::string_view bytes, const SigningOptions& options, SignedInput& out) {
  SimilarOptions similar = options.similar;
  similar.parts = options.parts;
  const SystemClock clock;
  // No mail is waiting: a slow machine must not make another sample of a large container.
  similar.containers.time_max = std::max(similar.containers.time_max, kOpenTimeMin);
  similar::SignedFile file = similar::sign_pieces(bytes, similar, clock, TimePoint::max());
  for (similar::SignedPiece& piece : file.pieces) {
    out.pieces.push_back({.path = std::move(piece.path),
                          .bytes = piece.bytes,
                          .signature = std::move(piece.signature),
                          .parts = std::move(piece.parts)});
  }
  out.notes = std::move(file.notes);
}

}  // namespace

Result<ReadFile> sign_file(const input::TreeFile& file, const SigningOptions& options) {
  ReadFile out;
  out.input.name = file.name;
  UniqueFd fd(file.name == "-" && file.given
                  ? ::dup(STDIN_FILENO)
                  : ::open(file.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return os_error(errno);
  Pieces pieces(std::move(fd));
  auto piece = pieces.next();
  if (!piece) return piece.error();
  if (options.lists && file.given && begins_signature_list(*piece)) {
    out.beginning = *piece;
    out.list = pieces.release();
    return out;
  }
  const bool container = options.open_containers && is_container(*piece);
  std::string content;  // of a container, while it may be opened
  fingerprint::SpamsumHasher hasher;
  std::optional<fingerprint::SpamsumPartsHasher> parts;
  if (options.parts) parts.emplace(options.similar.part_block_size);
  SignedInput::Piece whole;
  while (!piece->empty()) {
    if (container && whole.bytes + piece->size() <= options.similar.bytes_max) content += *piece;
    hasher.update(*piece);
    if (parts) parts->update(*piece);
    whole.bytes += piece->size();
    piece = pieces.next();
    if (!piece) return piece.error();
  }
  if (container) {
    if (content.size() == whole.bytes) {
      open_and_sign(content, options, out.input);
      if (!out.input.pieces.empty()) return out;
    } else {
      out.input.notes.emplace_back("larger than similar.bytes_max: not opened");
    }
  }
  whole.signature = hasher.finish();
  if (parts) whole.parts = parts->finish();
  out.input.pieces.push_back(std::move(whole));
  return out;
}

}  // namespace shingled::milter::similar
