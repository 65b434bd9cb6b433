#include "storage/similar/sample_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "mime/fingerprint/spamsum.h"
#include "mime/fingerprint/spamsum_compare.h"

namespace shingled::storage::similar {

namespace {

using fingerprint::kSpamsumAlphabet;
using fingerprint::Spamsum;

constexpr std::size_t packed_bytes(std::size_t letters) { return (letters * 6 + 7) / 8; }

/// Packs each letter into 6 bits, lowest bits first.
void pack(std::string_view letters, std::uint8_t* to) {
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : letters) {
    bits |= std::uint32_t{fingerprint::sextet_of(c)} << count;
    for (count += 6; count >= 8; count -= 8, bits >>= 8U) *to++ = static_cast<std::uint8_t>(bits);
  }
  if (count > 0) *to = static_cast<std::uint8_t>(bits);
}

/// Reads the letters that `pack` wrote, from the beginning.
class Unpacker {
 public:
  explicit Unpacker(const std::uint8_t* from) : from_(from) {}
  void read(std::size_t letters, std::string& out) {
    out.resize(letters);
    for (char& c : out) {
      if (count_ < 6) {
        bits_ |= std::uint32_t{*from_++} << count_;
        count_ += 8;
      }
      c = kSpamsumAlphabet[bits_ & 63U];
      bits_ >>= 6U;
      count_ -= 6;
    }
  }

 private:
  const std::uint8_t* from_;
  std::uint32_t bits_ = 0;
  unsigned count_ = 0;
};

}  // namespace

std::uint32_t SampleTable::add(const Sample& sample) {
  const auto slot = static_cast<std::uint32_t>(ids_.size());
  const Spamsum& signature = sample.signature;
  const std::string letters =
      signatures_ == Signatures::kKept ? signature.first + signature.second : "";
  const std::size_t head = signatures_ == Signatures::kKept ? kSignatureHead : 0;
  std::uint8_t* to = take(kHead + sample.name.size() + head + packed_bytes(letters.size()));
  const std::uint32_t list = list_number(sample.list);
  const auto length = static_cast<std::uint16_t>(sample.name.size());
  std::memcpy(to, &list, sizeof list);
  std::memcpy(to + sizeof list, &length, sizeof length);
  std::copy_n(sample.name.begin(), length, to + kHead);
  if (signatures_ == Signatures::kKept) {
    to += kHead + length;
    to[0] = static_cast<std::uint8_t>(std::countr_zero(signature.block_size));
    to[1] = static_cast<std::uint8_t>(signature.first.size());
    to[2] = static_cast<std::uint8_t>(signature.second.size());
    pack(letters, to + kSignatureHead);
  }
  ids_.push_back(sample.id);
  filled_.push_back(true);
  ++samples_;
  return slot;
}

bool SampleTable::remove(std::uint64_t id) {
  const auto at = std::ranges::lower_bound(ids_, id);
  if (at == ids_.end() || *at != id) return false;
  const auto slot = static_cast<std::size_t>(at - ids_.begin());
  if (!filled_[slot]) return false;
  filled_[slot] = false;
  --samples_;
  return true;
}

std::string_view SampleTable::list(std::uint32_t slot) const {
  std::uint32_t number = 0;
  std::memcpy(&number, record(slot), sizeof number);
  return lists_[number];
}

std::string_view SampleTable::name(std::uint32_t slot) const {
  const std::uint8_t* at = record(slot);
  std::uint16_t length = 0;
  std::memcpy(&length, at + sizeof(std::uint32_t), sizeof length);
  return {reinterpret_cast<const char*>(at + kHead), length};
}

void SampleTable::signature(std::uint32_t slot, Spamsum& out) const {
  const std::uint8_t* at = record(slot) + kHead + name(slot).size();
  out.block_size = Spamsum::kBlockSizeMin << at[0];
  Unpacker letters(at + kSignatureHead);
  letters.read(at[1], out.first);
  letters.read(at[2], out.second);
}

std::uint32_t SampleTable::list_number(const std::string& list) {
  // Search from the end, because samples that are read together are often of one list. There are
  // few lists.
  const auto at = std::find(lists_.rbegin(), lists_.rend(), list);
  if (at != lists_.rend()) return static_cast<std::uint32_t>(lists_.rend() - at - 1);
  lists_.push_back(list);
  return static_cast<std::uint32_t>(lists_.size() - 1);
}

std::uint8_t* SampleTable::take(std::size_t bytes) {
  if (bytes > kChunk - used_) {
    chunks_.push_back(std::make_unique<std::uint8_t[]>(kChunk));
    used_ = 0;
  }
  places_.push_back((chunks_.size() - 1) * kChunk + used_);
  std::uint8_t* at = chunks_.back().get() + used_;
  used_ += bytes;
  return at;
}

const std::uint8_t* SampleTable::record(std::uint32_t slot) const {
  return chunks_[places_[slot] / kChunk].get() + places_[slot] % kChunk;
}

std::uint64_t SampleTable::bytes() const {
  return (ids_.capacity() + places_.capacity()) * sizeof(std::uint64_t) + filled_.capacity() / 8 +
         chunks_.size() * kChunk;
}

void SampleTable::shrink() {
  ids_.shrink_to_fit();
  places_.shrink_to_fit();
}

}  // namespace shingled::storage::similar
