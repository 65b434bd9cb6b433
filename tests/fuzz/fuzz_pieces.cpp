// Any bytes as a message; up to the first zero byte they are the envelope, a path or name a line.
// What must hold: the same bytes give the same pieces; none is empty, too long or not UTF-8; the
// bounds hold; they are in order and each is there once; the form of a form is itself; a proof of a
// stranger counts for nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "milter/counters/message_pieces.h"
#include "milter/counters/sender_proof.h"
#include "mime/charset/charset.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/mail_address.h"
#include "mime/pieces/piece_list.h"
#include "mime/url/host_name.h"

namespace {

using namespace shingled;
using namespace shingled::milter::counters;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

Envelope envelope_of(std::string_view lines) {
  Envelope out;
  out.sender = take_line(lines);
  out.client = IpAddress::parse(take_line(lines));
  out.helo = take_line(lines);
  out.client_name = take_line(lines);
  out.country = take_line(lines);
  while (!lines.empty()) out.recipients.push_back(take_line(lines));
  return out;
}

PieceOptions small_options() {
  PieceOptions options;
  options.recipients_max = 3;
  options.links_max = 4;
  options.attachments_max = 3;
  options.pairs_max = 5;
  options.pieces_max = 60;
  options.piece_bytes_max = 64;
  options.authserv_ids = {"mx.example.org"};
  return options;
}

MessagePieces pieces_of(std::string_view message, const Envelope& envelope,
                        const PieceOptions& options) {
  static const mime::HashRule rule(HashOptions{.robust = true});
  const mime::Analysis analysis = mime::analyze(message, {});
  const auto hashes = mime::hash_message(analysis, rule);
  mime::WorkMeter meter(mime::kStepsAMegabyte);
  const auto believed = believed_results(analysis.parts().header.fields, options.authserv_ids, {});
  return message_pieces({.analysis = analysis, .believed = believed, .hashes = hashes}, envelope,
                        options, meter);
}

void check_pieces(const MessagePieces& found, const PieceOptions& options) {
  require(found.pieces.size() <= options.pieces_max);
  require(std::is_sorted(found.pieces.begin(), found.pieces.end()));
  require(std::adjacent_find(found.pieces.begin(), found.pieces.end()) == found.pieces.end());
  std::map<PieceType, std::uint32_t> counts;
  for (const mime::Piece& piece : found.pieces) {
    require(!is_unique(piece.type));
    require(!piece.first.empty() && is_pair(piece.type) != piece.second.empty());
    require(std::max(piece.first.size(), piece.second.size()) <= options.piece_bytes_max);
    require(mime::is_valid_utf8(piece.first) && mime::is_valid_utf8(piece.second));
    require(++counts[piece.type] <= mime::pieces_max_of(piece.type, options));
  }
}

/// Without names of servers of ours nothing is proved.
void check_strangers(std::string_view message, const Envelope& envelope) {
  const PieceOptions options;
  for (const mime::Piece& piece : pieces_of(message, envelope, options).pieces) {
    require(piece.type != PieceType::kFrom && piece.type != PieceType::kFromDomain &&
            piece.type != PieceType::kDkimDomain && piece.type != PieceType::kFromNetwork);
  }
}

void check_forms(std::string_view text) {
  if (const auto once = mime::normal_address(text)) {
    const auto twice = mime::normal_address(once->text());
    require(twice && twice->text() == once->text());
  }
  const std::string subject = mime::normal_subject(text);
  require(mime::normal_subject(subject) == subject);
  const std::string host = mime::ascii_host(text);
  require(mime::ascii_host(host) == host);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  const Envelope envelope = envelope_of(all.substr(0, end));
  const std::string_view message = all.substr(std::min(end + 1, all.size()));
  const PieceOptions options = small_options();
  const MessagePieces found = pieces_of(message, envelope, options);
  check_pieces(found, options);
  const MessagePieces again = pieces_of(message, envelope, options);
  require(again.pieces == found.pieces && again.dropped == found.dropped);
  check_strangers(message, envelope);
  check_forms(all.substr(0, end));
  check_forms(envelope.sender);
  return 0;
}
