#include "storage/model/sample.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::storage {

bool is_sample_list(std::string_view name) { return ascii::is_word(name, Sample::kListMax, "_.-"); }

Status check_sample(const Sample& sample) {
  const auto invalid = [](std::string what) { return Error{ErrorCode::kInvalid, std::move(what)}; };
  if (!is_sample_list(sample.list))
    return invalid("the name of a list is 1 to 64 characters of A-Z a-z 0-9 _ . -");
  if (sample.name.size() > Sample::kNameMax) return invalid("the name is longer than 4096 bytes");
  if (sample.parts.size() > Sample::kPartsMax)
    return invalid("parts are longer than 16777216 characters: use a larger part_block_size");
  if (!std::ranges::all_of(sample.parts, fingerprint::is_piece_letter))
    return invalid("parts have a character that is not allowed");
  if (auto good = fingerprint::Spamsum::parse(sample.signature.text()); !good) return good.error();
  return {};
}

}  // namespace shingled::storage
