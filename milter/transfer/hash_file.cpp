#include "milter/transfer/hash_file.h"

#include "config/base/hex.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::transfer {

namespace {

std::uint32_t equal_slots(const std::optional<Shingles>& a, const std::optional<Shingles>& b) {
  if (!a || !b) return 0;
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < kShingleCount; ++i) equal += (*a)[i] == (*b)[i] ? 1U : 0U;
  return equal;
}

/// Uses the row as answer if it is better than the previous one.
void consider(const Fingerprint& asked, const storage::sqlite::FuzzyRow& row,
              std::optional<StoredMatch>& best) {
  if (best && best->exact) return;
  if (row.digest == asked.digest) {
    best = StoredMatch{row, kShingleCount, true};
    return;
  }
  const std::uint32_t slots = equal_slots(asked.shingles, row.shingles);
  if (slots < storage::kMatchSlotsMin) return;
  if (best && (slots < best->slots || (slots == best->slots && row.updated <= best->row.updated)))
    return;
  best = StoredMatch{row, slots, false};
}

}  // namespace

Result<std::vector<std::optional<StoredMatch>>> search_file(const std::string& path,
                                                            std::span<const Fingerprint> asked) {
  const auto table = storage::sqlite::FuzzyTable::open_read_only(path);
  if (!table) return table.error();
  std::vector<std::optional<StoredMatch>> best(asked.size());
  const Status done = (*table)->for_each([&](const storage::sqlite::FuzzyRow& row) {
    for (std::size_t i = 0; i < asked.size(); ++i) consider(asked[i], row, best[i]);
    return true;
  });
  if (!done) return done.error();
  return best;
}

Result<std::vector<Digest>> digests_with_prefix(const std::string& path, const std::string& hex,
                                                std::size_t most) {
  const auto table = storage::sqlite::FuzzyTable::open_read_only(path);
  if (!table) return table.error();
  std::vector<Digest> found;
  const Status done = (*table)->for_each([&](const storage::sqlite::FuzzyRow& row) {
    if (to_hex(row.digest.bytes).starts_with(hex)) found.push_back(row.digest);
    return found.size() < most;
  });
  if (!done) return done.error();
  return found;
}

}  // namespace shingled::milter::transfer
