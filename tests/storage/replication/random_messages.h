#pragma once

#include "storage/replication/message.h"
#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::replication {

/// A part with `flags` different lists.
inline Part random_part(engine::Seeded& random, std::size_t flags, bool with_shingles) {
  Part part;
  while (part.flags.size() < flags) {
    part.flags.add({static_cast<std::uint32_t>(random()), static_cast<std::int32_t>(random())});
  }
  part.created = static_cast<std::uint32_t>(random());
  part.updated = static_cast<std::uint32_t>(random());
  part.source = random();
  if (with_shingles) part.shingles = engine::random_shingles(random);
  return part;
}

inline StoreId random_store(engine::Seeded& random) {
  StoreId id{};
  for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(random());
  return id;
}

inline std::vector<ReplicaRecord> random_records(engine::Seeded& random, std::size_t count) {
  std::vector<ReplicaRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    const Digest digest = engine::random_digest(random);
    if (random() % 8 == 0) {
      records.emplace_back(Takeback{digest, random_store(random), 7, 9});
    } else if (random() % 8 == 0) {
      records.emplace_back(TakebackAnswer{digest, random_store(random), 7});
    } else if (random() % 8 == 0) {
      records.emplace_back(PartRecord{digest, {}});
    } else {
      records.emplace_back(
          PartRecord{digest, random_part(random, 1 + random() % kFlagsMax, random() % 2 == 0)});
    }
  }
  return records;
}

/// Messages of each kind, also of the largest size.
inline std::vector<Message> one_of_each(engine::Seeded& random) {
  const JournalPosition position{1 + random() % 1000, random() % 1000};
  std::vector<std::uint64_t> sums(kRangesPerMessage);
  for (std::uint64_t& sum : sums) sum = random();
  std::vector<std::uint8_t> bits(kRanges / 8);
  for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random());
  std::vector<ReplicaRecord> largest;
  for (std::size_t i = 0; i < kBatchRecordsMax; ++i) {
    largest.emplace_back(
        PartRecord{engine::random_digest(random), random_part(random, kFlagsMax, true)});
  }
  return {Greeting{random_store(random)},
          Resume{random_store(random), position},
          Resume{random_store(random), std::nullopt},
          CompareRanges{random_store(random)},
          RangeSums{kRanges - kRangesPerMessage, sums},
          RangesDiffer{bits},
          RangeRecords{random_records(random, 20)},
          RangesDone{position},
          JournalRecords{position, random_records(random, 20)},
          JournalRecords{position, {}},
          JournalRecords{position, largest},
          Beat{random()},
          Committed{random()}};
}

}  // namespace shingled::storage::replication
