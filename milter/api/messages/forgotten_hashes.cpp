#include "milter/api/messages/forgotten_hashes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/hex.h"

namespace shingled::milter::api {

std::string ForgottenHashes::keep(std::vector<ForgottenHash> hashes, TimePoint now) {
  std::array<std::uint8_t, 16> bytes{};
  random_.fill(bytes);
  if (entries_.size() == kMost) entries_.pop_front();
  entries_.push_back({to_hex(bytes), now, std::move(hashes)});
  return entries_.back().token;
}

std::optional<std::vector<ForgottenHash>> ForgottenHashes::take(std::string_view token,
                                                                TimePoint now) {
  std::erase_if(entries_, [&](const Entry& entry) { return now - entry.time > kKept; });
  const auto found = std::ranges::find(entries_, token, &Entry::token);
  if (found == entries_.end()) return std::nullopt;
  std::vector<ForgottenHash> out = std::move(found->hashes);
  entries_.erase(found);
  return out;
}

}  // namespace shingled::milter::api
