#include "milter/similar/sample_signer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mime/container/container.h"
#include "mime/container/container_content.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::milter::similar {

namespace {

/// The number of bytes that are signed between two readings of the clock.
constexpr std::size_t kStepBytes = std::size_t{1} << 20U;

// The costs of opening: of a reader, of an entry, of a byte that is unpacked and copied.
constexpr mime::Steps kStepsAContainer = 40'000;
constexpr mime::Steps kStepsAnEntry = 10'000;
constexpr mime::Steps kStepsAnUnpackedByte = 5;

class Signer {
 public:
  Signer(const SimilarOptions& options, const Clock& clock, TimePoint deadline,
         mime::WorkMeter* work)
      : options_(options), clock_(clock), deadline_(deadline), work_(work) {}

  SignedFile run(std::string_view bytes) {
    if (bytes.size() > options_.bytes_max) {
      note("larger than bytes_max");
      return std::move(file_);
    }
    const mime::Container root = open(bytes);
    const std::string content = root.whole ? mime::container_content(root) : std::string();
    whole_ = content.empty() ? bytes : std::string_view(content);
    sign("", whole_);
    sign_entries(root, "");
    return std::move(file_);
  }

 private:
  mime::Container open(std::string_view bytes) {
    if (!options_.containers.open) return {};
    const TimePoint now = clock_.now();
    const Duration left = deadline_ > now ? deadline_ - now : Duration(0);
    const TimePoint end = now + std::min<Duration>(options_.containers.time_max, left);
    if (!afford(kStepsAContainer)) return {};
    mime::OpenedContainer opened =
        mime::open_container(bytes, affordable(), [&] { return clock_.now() >= end; });
    (void)afford(opened.bytes * kStepsAnUnpackedByte + opened.entries * kStepsAnEntry +
                 (std::max<std::uint64_t>(opened.containers, 1) - 1) * kStepsAContainer);
    file_.containers = opened.containers;
    for (const std::string& phrase : opened.notes) note(phrase);
    return std::move(opened.root);
  }

  /// The options of containers, with bounds that match the steps that are left.
  [[nodiscard]] ContainerOptions affordable() const {
    ContainerOptions out = options_.containers;
    if (work_ == nullptr) return out;
    out.unpacked_max = std::min(out.unpacked_max, work_->left() / kStepsAnUnpackedByte);
    out.entries_max = static_cast<std::uint32_t>(
        std::min<mime::Steps>(out.entries_max, work_->left() / kStepsAnEntry));
    return out;
  }

  bool afford(mime::Steps steps) {
    if (work_ == nullptr || work_->spend(steps)) return true;
    note("work limit reached");
    return false;
  }

  void sign_entries(const mime::Container& container, const std::string& prefix) {
    const mime::PackageKind kind = mime::package_kind(container);
    for (const mime::ContainerEntry& entry : container.entries) {
      if (is_over()) return;
      const std::string_view own = mime::own_bytes(kind, entry.name, entry.bytes);
      if (own.empty()) continue;
      // An entry without a name is a compressed file, not an archive: the whole file is the same.
      if (!entry.name.empty()) sign_entry(entry, own, prefix + entry.name);
      sign_entries(entry.inside, entry.name.empty() ? prefix : prefix + entry.name + "!");
    }
  }

  void sign_entry(const mime::ContainerEntry& entry, std::string_view own, std::string path) {
    if (!entry.inside.whole) {
      if (own.size() >= options_.bytes_min) sign(std::move(path), own);
      return;
    }
    const std::string content = mime::container_content(entry.inside);
    if (!content.empty() && content.size() >= options_.bytes_min) sign(std::move(path), content);
  }

  void sign(std::string path, std::string_view bytes) {
    if (bytes.size() > options_.bytes_max) return note("larger than bytes_max");
    if (!file_.pieces.empty() && bytes == whole_) {  // the container has only this file
      SignedPiece same = file_.pieces.front();
      same.path = std::move(path);
      file_.pieces.push_back(std::move(same));
      return;
    }
    if (!afford(bytes.size() * kStepsASignedByte * (options_.parts ? 2 : 1))) return;
    fingerprint::SpamsumHasher whole;
    std::optional<fingerprint::SpamsumPartsHasher> parts;
    if (options_.parts) parts.emplace(options_.part_block_size);
    SignedPiece piece{std::move(path), bytes.size(), {}, {}};
    while (!bytes.empty()) {
      if (is_over()) return;
      const std::string_view step = bytes.substr(0, kStepBytes);
      bytes.remove_prefix(step.size());
      whole.update(step);
      if (parts) parts->update(step);
    }
    piece.signature = whole.finish();
    if (parts) piece.parts = parts->finish();
    file_.pieces.push_back(std::move(piece));
  }

  bool is_over() {
    if (clock_.now() < deadline_) return false;
    note("time limit reached");
    return true;
  }
  void note(std::string_view phrase) {
    auto& notes = file_.notes;
    if (std::find(notes.begin(), notes.end(), phrase) == notes.end()) notes.emplace_back(phrase);
  }

  const SimilarOptions& options_;
  const Clock& clock_;
  const TimePoint deadline_;
  mime::WorkMeter* const work_;
  std::string_view whole_;  ///< the bytes of the first piece
  SignedFile file_;
};

}  // namespace

SignedFile sign_pieces(std::string_view bytes, const SimilarOptions& options, const Clock& clock,
                       TimePoint deadline, mime::WorkMeter* work) {
  return Signer(options, clock, deadline, work).run(bytes);
}

}  // namespace shingled::milter::similar
