#include "mime/language/stop_table.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "mime/language/embedded_data.h"
#include "mime/language/stop_words.h"

namespace shingled::mime {

static_assert(kStopLanguages.size() <= 8 * sizeof(LanguageBits));

const StopTable& StopTable::instance() {
  static const StopTable table;
  return table;
}

StopTable::StopTable() {
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    add_list(embedded_file(std::string(kStopLanguages[i].code) + ".stop"), LanguageBits{1} << i);
  }
}

std::size_t StopTable::longest_run() const {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t slot = 0; slot < 2 * kSlots; ++slot) {  // twice round: one may go over the end
    run = slots_[slot % kSlots] == 0 ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return longest;
}

/// A list has a word a line.
void StopTable::add_list(std::string_view list, LanguageBits language) {
  while (!list.empty()) {
    const std::string_view word = list.substr(0, std::min(list.find('\n'), list.size()));
    at(word).languages |= language;
    for (std::size_t end = 1; end < word.size(); ++end) {
      if (kStopWordEdges.has(word[end])) at(word.substr(0, end)).continues = true;
    }
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
}

StopWord& StopTable::at(std::string_view word) {
  assert(!word.empty() && word.size() <= kWordBytesMax);
  std::array<char, kWordBytesMax + kBytesBehind> padded{};
  word.copy(padded.data(), kWordBytesMax);
  if (const std::size_t found = find(padded.data(), word.size()); found != kNone) {
    return words_[found];
  }
  const std::uint64_t hash = hash_of(padded.data(), word.size());
  std::size_t slot = hash >> (64 - kSlotBits);
  while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
  maybe_.set(hash >> (64 - kMaybeBits));
  StopWord& stop = words_.emplace_back();
  std::memcpy(stop.lanes.data(), padded.data(), kWordBytesMax);
  stop.bytes = static_cast<std::uint32_t>(word.size());
  slots_[slot] = static_cast<std::uint16_t>(words_.size());
  assert(words_.size() < kSlots);
  return stop;
}

}  // namespace shingled::mime
