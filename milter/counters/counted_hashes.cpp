#include "milter/counters/counted_hashes.h"

#include <algorithm>
#include <string>

#include "config/base/hex.h"

namespace shingled::milter::counters {

HashOptions counted_text_options() {
  HashOptions options;
  options.robust = true;
  return options;
}

HashOptions counted_structure_options() {
  HashOptions options;
  options.text_hashes = false;
  options.html_shingles = true;
  options.skip_images = true;
  options.scan_archives = false;
  options.mime_types.clear();
  return options;
}

bool makes_counted_texts(const HashOptions& options) {
  HashOptions same = options;
  const HashOptions counted = counted_text_options();
  // What has no influence on the digest of a text.
  same.algorithm = counted.algorithm;
  same.fuzzy_shingles_key = counted.fuzzy_shingles_key;
  same.skip_images = counted.skip_images;
  same.scan_archives = counted.scan_archives;
  same.min_width = counted.min_width;
  same.min_height = counted.min_height;
  same.mime_types = counted.mime_types;
  same.html_shingles = counted.html_shingles;
  same.min_html_tags = counted.min_html_tags;
  same.ignore_link_domains = counted.ignore_link_domains;
  return same == counted;
}

std::vector<mime::PartHash> counted_hashes(std::span<const mime::PartHash> texts,
                                           std::span<const mime::PartHash> structures) {
  const auto is_structure = [](const mime::PartHash& hash) {
    return hash.kind == mime::PartKind::kHtmlStructure;
  };
  std::vector<mime::PartHash> out;
  out.reserve(texts.size() + structures.size());
  std::copy_if(texts.begin(), texts.end(), std::back_inserter(out),
               [&](const mime::PartHash& hash) { return !is_structure(hash); });
  std::copy_if(structures.begin(), structures.end(), std::back_inserter(out), is_structure);
  return out;
}

std::vector<mime::Piece> matched_hashes(std::span<const rules::Lookup> lookups) {
  std::vector<mime::Piece> out;
  for (const rules::Lookup& lookup : lookups) {
    if (lookup.outcome != rules::Lookup::Outcome::kHit || lookup.is_quoted()) continue;
    mime::Piece piece{PieceType::kStoredHash, to_hex(lookup.match.digest.bytes), {}};
    if (std::ranges::find(out, piece) == out.end()) out.push_back(std::move(piece));
  }
  return out;
}

mime::Piece matched_file(std::string_view list, std::string_view sample) {
  return {PieceType::kKnownFile, std::string(list) + '/' + std::string(sample), {}};
}

}  // namespace shingled::milter::counters
