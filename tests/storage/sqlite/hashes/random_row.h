#pragma once

#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::sqlite {

inline FuzzyRow random_row(engine::Seeded& random) {
  FuzzyRow row;
  row.digest = engine::random_digest(random);
  row.shingles = engine::random_shingles(random);
  row.flags.add({static_cast<std::uint32_t>(random() % 100), 5});
  row.created = 1'700'000'000;
  row.updated = 1'700'000'100;
  row.source = random();
  return row;
}

}  // namespace shingled::storage::sqlite
