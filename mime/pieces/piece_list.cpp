#include "mime/pieces/piece_list.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "mime/charset/charset.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {

namespace {

std::string piece_text(std::string_view piece, std::size_t bytes_max) {
  piece = clipped(piece, bytes_max);
  if (is_valid_utf8(piece)) return std::string(piece);
  return std::string(clipped(replace_invalid_utf8(piece), bytes_max));
}

}  // namespace

std::uint32_t pieces_max_of(PieceType type, const PieceOptions& options) {
  if (is_pair(type)) return options.pairs_max;
  switch (type) {
    case PieceType::kText:
    case PieceType::kRobustText:
    case PieceType::kStructure:
      return options.texts_max;
    case PieceType::kRecipient:
      return options.recipients_max;
    case PieceType::kDkimDomain:
      return options.signatures_max;
    case PieceType::kLink:
    case PieceType::kLinkHost:
    case PieceType::kLinkDomain:
    case PieceType::kLinkPath:
    case PieceType::kLinkShape:
    case PieceType::kForeignHost:
    case PieceType::kImageLink:
      return options.links_max;
    case PieceType::kPhrase:
    case PieceType::kNotice:
    case PieceType::kHiddenPhrase:
      return kPhrasesOfMessageMax;
    case PieceType::kQuotedPhrase:
      return kQuotedPhrasesOfMessageMax;
    case PieceType::kAddress:
      return options.addresses_max;
    case PieceType::kPhone:
      return options.phones_max;
    case PieceType::kWallet:
      return options.wallets_max;
    case PieceType::kAttachmentName:
    case PieceType::kAttachmentKind:
    case PieceType::kAttachment:
    case PieceType::kImage:
      return options.attachments_max;
    default:
      return 1;
  }
}

void PieceList::add(PieceType type, std::string_view piece) {
  if (piece.empty()) return;
  insert({.type = type, .first = piece_text(piece, options_.piece_bytes_max), .second = {}});
}

void PieceList::add(PieceType type, std::string&& piece) {
  if (piece.size() > options_.piece_bytes_max || !is_valid_utf8(piece))
    return add(type, std::string_view(piece));
  if (!piece.empty()) insert({.type = type, .first = std::move(piece), .second = {}});
}

void PieceList::add_pair(PieceType type, std::string_view first, std::string_view second) {
  if (first.empty() || second.empty()) return;
  insert({.type = type,
          .first = piece_text(first, options_.piece_bytes_max),
          .second = piece_text(second, options_.piece_bytes_max)});
}

void PieceList::take_all(PieceList& other) {
  while (!other.pieces_.empty()) {
    auto piece = other.pieces_.extract(other.pieces_.begin());
    const auto place = place_for(piece.value());
    if (place) pieces_.insert(*place, std::move(piece));
  }
  other.counts_.fill(0);
  note_dropped(std::exchange(other.dropped_, 0));
}

bool PieceList::has_room(PieceType type) const {
  return pieces_.size() < options_.pieces_max &&
         counts_[static_cast<std::uint8_t>(type)] < pieces_max_of(type, options_);
}

std::vector<std::string_view> PieceList::of_type(PieceType type) const {
  std::vector<std::string_view> out;
  const Piece least{.type = type, .first = {}, .second = {}};
  for (auto at = pieces_.lower_bound(least); at != pieces_.end() && at->type == type; ++at) {
    out.emplace_back(at->first);
  }
  return out;
}

void PieceList::remove(PieceType type, const std::function<bool(std::string_view)>& unwanted) {
  const Piece least{.type = type, .first = {}, .second = {}};
  for (auto at = pieces_.lower_bound(least); at != pieces_.end() && at->type == type;) {
    const bool gone = unwanted(at->first);
    if (gone) --counts_[static_cast<std::uint8_t>(type)];
    at = gone ? pieces_.erase(at) : std::next(at);
  }
}

std::vector<Piece> PieceList::take() {
  std::vector<Piece> out;
  out.reserve(pieces_.size());
  // The order of the set does not matter any more: it goes with the next line.
  for (const Piece& piece : pieces_) out.push_back(std::move(const_cast<Piece&>(piece)));
  pieces_.clear();
  counts_.fill(0);
  return out;
}

std::optional<PieceList::Place> PieceList::place_for(const Piece& piece) {
  const auto place = pieces_.lower_bound(piece);
  if (place != pieces_.end() && *place == piece) return std::nullopt;
  if (!has_room(piece.type)) {
    note_dropped();
    return std::nullopt;
  }
  ++counts_[static_cast<std::uint8_t>(piece.type)];
  return place;
}

void PieceList::insert(Piece piece) {
  if (const auto place = place_for(piece)) pieces_.emplace_hint(*place, std::move(piece));
}

}  // namespace shingled::mime
