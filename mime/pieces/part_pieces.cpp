#include "mime/pieces/part_pieces.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/base/hex.h"
#include "mime/analysis_parts.h"
#include "mime/charset/charset.h"
#include "mime/container/container.h"
#include "mime/container/container_content.h"
#include "mime/fingerprint/digests.h"
#include "mime/message/part_kind.h"
#include "mime/message/part_roles.h"
#include "mime/pieces/file_kind.h"
#include "mime/pieces/svg_text.h"
#include "mime/pieces/text_pieces.h"

namespace shingled::mime {

namespace {

constexpr Steps kStepsAChecksum = 500;
constexpr Steps kStepsAChecksumByte = 2;
/// Unpacking, with the copies that it takes.
constexpr Steps kStepsAnUnpackedByte = 10;
/// What a container costs before its first byte is unpacked.
constexpr Steps kStepsAContainer = 100'000;
/// Its charset and its markup.
constexpr Steps kStepsAnSvgByte = 30;

std::optional<PieceType> type_of(const PartHash& hash) {
  switch (hash.kind) {
    case PartKind::kText:
    case PartKind::kHtml:
      return PieceType::kText;
    case PartKind::kRobust:
      return PieceType::kRobustText;
    case PartKind::kHtmlStructure:
      return PieceType::kStructure;
    default:
      return std::nullopt;
  }
}

/// A text that has a name or says so is a file like any other.
bool is_file(const Analysis::Parts& parts, std::size_t i) {
  const MailPart& part = parts.mail.parts[i];
  if (part.is_multipart() || part.holds_signed || part.children > 0 || part.body.empty())
    return false;
  return !parts.is_text(i) || !part.shown_name().empty() || part.is_attached();
}

/// By the bytes alone; empty if they tell nothing.
std::string_view media_type_of(std::string_view bytes) {
  const std::string_view sniffed = sniff_file(bytes);
  return sniffed.empty() && looks_like_text(bytes) ? "text/plain" : sniffed;
}

std::string_view media_type_of(const PartContent& content, std::string_view body) {
  const std::string_view sniffed = sniff_file(body);
  if (!sniffed.empty()) return sniffed;
  if (!content.detected_type.empty()) return content.detected_type;
  return content.kind == ContentKind::kText ? "text/plain" : media_type_of(body);
}

class AttachmentPieces {
 public:
  AttachmentPieces(std::span<const PartHash> hashes, const PieceOptions& options, WorkMeter& meter,
                   PieceList& pieces)
      : hashes_(hashes), options_(options), meter_(meter), pieces_(pieces) {}

  void add_part(const Analysis::Parts& parts, std::size_t i) {
    const MailPart& part = parts.mail.parts[i];
    const std::string_view type = media_type_of(parts.contents[i], part.body);
    add_name(part.shown_name(), type);
    const bool image = type.starts_with("image/");
    if (const Digest* known = digest_of(part.number)) {
      pieces_.add(image ? PieceType::kImage : PieceType::kAttachment, to_hex(known->bytes));
    } else {
      add_checksum(image, part.body);
    }
  }

  /// Links and text of a picture that is a document.
  void add_svg(const Analysis::Parts& parts, std::size_t i) {
    const MailPart& part = parts.mail.parts[i];
    const std::string_view body = part.body.substr(0, parts.options.text_bytes_max);
    if (!meter_.spend(body.size(), kStepsAnSvgByte)) return pieces_.note_dropped();
    if (body.size() < part.body.size()) pieces_.note_dropped();
    std::string storage;
    const DecodedText decoded =
        decode_text(body, part.type.charset, kUtf8BytesMax * body.size(), storage, meter_);
    if (!meter_.spend(storage.size(), kStepsAnSvgByte)) return pieces_.note_dropped();
    SvgText svg = read_svg(decoded.utf8);
    std::vector<HtmlElement> elements;
    for (std::string& link : svg.links) {
      elements.push_back({.name = "a", .css_class = {}, .url = std::move(link)});
    }
    add_text_pieces({.content = svg.text, .form = TextForm::kHtml, .elements = elements},
                    parts.options.compat, options_, meter_, pieces_);
  }

  void add_inside(std::string_view body, const std::function<bool()>& out_of_time) {
    if (!options_.containers.open || sniff_container(body) == ContainerKind::kNone) return;
    ContainerOptions bounds = options_.containers;
    const Steps affordable = meter_.left() / (2 * kStepsAnUnpackedByte);
    bounds.unpacked_max = std::min<std::uint64_t>(bounds.unpacked_max, affordable);
    if (!meter_.spend(kStepsAContainer)) return pieces_.note_dropped();
    const OpenedContainer opened = open_container(body, bounds, out_of_time);
    (void)meter_.spend(opened.bytes, kStepsAnUnpackedByte);
    if (!opened.notes.empty()) pieces_.note_dropped();
    add_entries(opened.root);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): as deep as ContainerOptions::depth_max
  void add_entries(const Container& container) {
    const PackageKind package = package_kind(container);
    for (const ContainerEntry& entry : container.entries) {
      if (entry.bytes.empty() || own_bytes(package, entry.name, entry.bytes).empty()) continue;
      const std::string_view type = media_type_of(entry.bytes);
      if (package == PackageKind::kPlain) add_name(entry.name, type);
      add_checksum(type.starts_with("image/"), entry.bytes);
      add_entries(entry.inside);
    }
  }

  void add_name(std::string_view file_name, std::string_view type) {
    const std::string name = normal_file_name(file_name);
    pieces_.add(PieceType::kAttachmentName, name);
    pieces_.add(PieceType::kAttachmentKind, file_kind(name, type));
  }

  void add_checksum(bool image, std::string_view bytes) {
    const PieceType type = image ? PieceType::kImage : PieceType::kAttachment;
    const bool wanted = pieces_.has_room(type);
    if (!wanted || !meter_.spend(bytes.size() + kStepsAChecksum, kStepsAChecksumByte)) {
      return pieces_.note_dropped();
    }
    pieces_.add(type, to_hex(fingerprint::data_digest(bytes).bytes));
  }

  /// The checksum of a part, if it is known.
  [[nodiscard]] const Digest* digest_of(std::uint32_t number) const {
    for (const PartHash& hash : hashes_) {
      const bool data = hash.kind == PartKind::kAttachment || hash.kind == PartKind::kImage;
      if (data && hash.index == number) return &hash.fingerprint.digest;
    }
    return nullptr;
  }

  std::span<const PartHash> hashes_;
  const PieceOptions& options_;
  WorkMeter& meter_;
  PieceList& pieces_;
};

/// By part, the texts that mostly quote, as their hashes say.
std::vector<bool> quoting_texts(const Analysis::Parts& parts, std::span<const PartHash> hashes) {
  std::set<std::uint32_t> quoted;
  for (const PartHash& hash : hashes) {
    if (hash.quoted) quoted.insert(hash.index);
  }
  std::vector<bool> out(parts.mail.parts.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = parts.is_text(i) && quoted.contains(parts.mail.parts[i].number);
  }
  return out;
}

}  // namespace

void add_hash_pieces(std::span<const PartHash> hashes, PieceList& pieces) {
  for (const PartHash& hash : hashes) {
    if (hash.quoted) continue;
    if (const auto type = type_of(hash)) pieces.add(*type, to_hex(hash.fingerprint.digest.bytes));
  }
}

void add_attachment_pieces(const Analysis& analysis, std::span<const PartHash> hashes,
                           const PieceOptions& options, const std::function<bool()>& out_of_time,
                           WorkMeter& meter, PieceList& pieces) {
  const Analysis::Parts& parts = analysis.parts();
  AttachmentPieces attachments(hashes, options, meter, pieces);
  const std::vector<bool> cited = parts_of_quotes(parts.mail, quoting_texts(parts, hashes));
  std::vector<std::size_t> files;
  for (std::size_t i = 0; i < parts.mail.parts.size(); ++i) {
    if (is_file(parts, i) && !parts.of_others[i] && !cited[i]) files.push_back(i);
  }
  if (files.size() > options.attachments_max) {
    pieces.note_dropped(files.size() - options.attachments_max);
    files.resize(options.attachments_max);
  }
  // What the message has itself comes first: a container may fill the list.
  for (const std::size_t i : files) attachments.add_part(parts, i);
  for (const std::size_t i : files) {
    if (is_svg(parts.mail.parts[i])) attachments.add_svg(parts, i);
  }
  for (const std::size_t i : files) attachments.add_inside(parts.mail.parts[i].body, out_of_time);
}

}  // namespace shingled::mime
