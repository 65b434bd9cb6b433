#include "milter/similar/similar_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "milter/similar/sample_signer.h"
#include "mime/analysis_parts.h"
#include "mime/container/container.h"

namespace shingled::milter::similar {

std::string piece_name(const SimilarHit& hit) {
  std::string name = hit.file.empty() ? "part " + hit.part : hit.file;
  if (!hit.entry.empty()) name += "!" + hit.entry;
  return name;
}

std::string likeness_text(const SimilarHit& hit) {
  std::string text;
  if (hit.score > 0) text = "similarity " + std::to_string(hit.score);
  if (hit.shared == 0) return text;
  if (!text.empty()) text += " and ";
  return text + fmt::format("{} of {} n-grams ({:.0f} %)", hit.shared, hit.asked,
                            100.0 * hit.shared / std::max(hit.asked, 1U));
}

namespace {

/// The most matches over all lists; only the best of each list counts.
constexpr std::size_t kMatchesMax = 256;
constexpr std::size_t kHitsMax = 1000;  ///< in a message

// The costs of a piece in a library of a million files (tests/bench/README.md).
constexpr mime::Steps kStepsASearch = 60'000;
constexpr mime::Steps kStepsASearchedByte = 1;

/// The smallest useful share of a container: some hundred KB unpacked, signed and looked up.
constexpr mime::Steps kShareMin = 5'000'000;

bool is_text(const mime::PartContent& content) {
  return content.kind == mime::ContentKind::kText || content.kind == mime::ContentKind::kHtml;
}

/// A text with a file name, or marked as an attachment, is an attachment, too.
bool is_attachment(const mime::MailPart& part, const mime::PartContent& content) {
  if (part.is_multipart() || part.holds_signed || part.children > 0) return false;
  return !is_text(content) || !part.file_name().empty() || part.is_attached();
}

}  // namespace

/// The search for one message.
class SimilarSearch::Run {
 public:
  Run(const SimilarSearch& search, TimePoint deadline, mime::WorkMeter meter)
      : options_(search.options_),
        library_(*search.library_),
        clock_(search.clock_),
        deadline_(deadline),
        meter_(std::move(meter)) {}

  SimilarFacts run(const mime::Analysis::Parts& parts) {
    std::vector<const mime::MailPart*> containers;
    for (std::size_t i = 0; i < parts.mail.parts.size(); ++i) {
      const mime::MailPart& part = parts.mail.parts[i];
      if (is_attachment(part, parts.contents[i])) {
        if (!options_.attachments) continue;
        if (is_container(part.body)) {
          containers.push_back(&part);
        } else {
          look_up(part, part.body, meter_);
        }
      } else if (options_.texts && is_text(parts.contents[i])) {
        mime::TextStages text;
        mime::read_content(parts, i, meter_, text, mime::Views::kRspamd);
        look_up(part, text.content, meter_);
      }
    }
    look_up_containers(std::move(containers), parts.stop);
    if (meter_.refused()) note("work limit reached");
    facts_.incomplete = std::any_of(facts_.notes.begin(), facts_.notes.end(), is_of_the_message);
    return std::move(facts_);
  }

 private:
  [[nodiscard]] bool is_container(std::string_view bytes) const {
    return options_.containers.open && mime::sniff_container(bytes) != mime::ContainerKind::kNone;
  }

  /// Whether a note makes the facts incomplete. Other notes are of bounds of one container: then it
  /// was signed by its bytes, and so looked up all the same.
  static bool is_of_the_message(const std::string& note) {
    return note == "time limit reached" || note == "work limit reached";
  }

  void look_up_containers(std::vector<const mime::MailPart*> parts, const std::stop_token& stop) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto* a, const auto* b) { return a->body.size() < b->body.size(); });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const mime::Steps equal = meter_.left() / (parts.size() - i);
      const mime::Steps share = std::min(meter_.left(), std::max(equal, kShareMin));
      mime::WorkMeter own(share, stop);
      look_up(*parts[i], parts[i]->body, own);
      if (own.refused()) note("work limit reached");
      (void)meter_.spend(share - own.left());
    }
  }

  void look_up(const mime::MailPart& part, std::string_view bytes, mime::WorkMeter& meter) {
    if (bytes.empty()) return;
    if (bytes.size() < options_.bytes_min && !is_container(bytes)) return;
    const SignedFile file = sign_pieces(bytes, options_, clock_, deadline_, &meter);
    facts_.containers += file.containers;
    for (const std::string& phrase : file.notes) note(phrase);
    for (const SignedPiece& piece : file.pieces) {
      if (piece.bytes < options_.bytes_min || is_only_entry(piece, file)) continue;
      if (clock_.now() >= deadline_) return note("time limit reached");
      if (!meter.spend(kStepsASearch + piece.bytes * kStepsASearchedByte)) return;
      look_up(part, piece);
      ++facts_.pieces;
    }
  }

  /// Whether the piece is the whole of a container with one entry. The entry is the same piece and
  /// has a name.
  static bool is_only_entry(const SignedPiece& piece, const SignedFile& file) {
    return piece.path.empty() && file.pieces.size() > 1 && file.pieces[1].bytes == piece.bytes &&
           file.pieces[1].signature == piece.signature;
  }

  void look_up(const mime::MailPart& part, const SignedPiece& piece) {
    std::map<std::uint64_t, SimilarHit> by_sample;
    for (storage::similar::SimilarMatch& match : library_.similar(piece.signature, kMatchesMax)) {
      SimilarHit& hit = by_sample[match.id];
      hit.list = std::move(match.list);
      hit.sample = std::move(match.name);
      hit.score = match.score;
    }
    if (options_.parts) {
      for (storage::similar::PartMatch& match : library_.sharing(piece.parts, kMatchesMax)) {
        SimilarHit& hit = by_sample[match.id];
        hit.list = std::move(match.list);
        hit.sample = std::move(match.name);
        hit.shared = match.shared;
        hit.asked = match.asked;
      }
    }
    for (const SimilarList& list : options_.lists) {
      if (facts_.hits.size() < kHitsMax) take_best(list, by_sample, part, piece);
    }
  }

  void take_best(const SimilarList& list, const std::map<std::uint64_t, SimilarHit>& by_sample,
                 const mime::MailPart& part, const SignedPiece& piece) {
    SimilarHit best;
    for (const auto& [id, found] : by_sample) {
      if (found.list != list.name) continue;
      SimilarHit hit = found;
      hit.sample_id = id;
      if (hit.score < static_cast<int>(list.similarity_min)) hit.score = 0;
      if (list.shared_min == 0 || hit.shared < list.shared_min) hit.shared = hit.asked = 0;
      if (hit.likeness() > best.likeness()) best = std::move(hit);
    }
    if (best.likeness() <= 0) return;
    best.piece = facts_.pieces;
    best.part = part.path;
    best.file = part.file_name();
    best.entry = piece.path;
    best.bytes = piece.bytes;
    facts_.hits.push_back(std::move(best));
  }

  void note(std::string_view phrase) {
    auto& notes = facts_.notes;
    if (std::find(notes.begin(), notes.end(), phrase) == notes.end()) notes.emplace_back(phrase);
  }

  const SimilarOptions& options_;
  const storage::similar::SampleLibrary& library_;
  const Clock& clock_;
  const TimePoint deadline_;
  mime::WorkMeter meter_;
  SimilarFacts facts_;
};

SimilarFacts SimilarSearch::search(const mime::Analysis& analysis, TimePoint deadline,
                                   mime::Steps work) const {
  return Run(*this, deadline, mime::WorkMeter(work, analysis.parts().stop)).run(analysis.parts());
}

}  // namespace shingled::milter::similar
