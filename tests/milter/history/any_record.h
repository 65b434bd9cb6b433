#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <string>

#include "milter/history/message_record.h"

namespace shingled::milter::history::testing {

/// Any record that its code can hold.
inline MessageRecord any_record() {
  using features::Sums;
  const auto number = [](std::uint64_t most) {
    return *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, std::min<std::uint64_t>(most, 300)),
                           rc::gen::inRange<std::uint64_t>(0, most));
  };
  const auto yes = [] { return *rc::gen::inRange(0, 2) == 1; };
  const auto score = [] { return *rc::gen::inRange(-100'000, 100'000) / 1000.0; };
  const auto word = [] { return *rc::gen::arbitrary<std::string>(); };
  MessageRecord record;
  record.score = score();
  record.failed = yes();
  record.unseen = yes();
  record.incomplete = yes();
  record.dry_run = yes();
  record.left_out = yes();
  for (const features::FeatureRow& row : features::features()) {
    if (!yes()) continue;
    switch (row.type) {
      case features::FeatureRow::Type::kNumber:
        record.features.set_number(row.feature, number(std::numeric_limits<std::uint64_t>::max()));
        break;
      case features::FeatureRow::Type::kYesNo:
        record.features.set_yes(row.feature, yes());
        break;
      case features::FeatureRow::Type::kWord:
        record.features.set_word(row.feature, word());
        break;
    }
  }
  record.said_known = yes();
  if (record.said_known) record.recipients = number(1000);
  const int windows = *rc::gen::inRange(0, 6);
  for (int i = 0; i < windows; ++i) {
    record.windows.push_back(
        {yes() ? storage::counters::Period::Unit::kDay : storage::counters::Period::Unit::kSlot,
         static_cast<std::uint32_t>(number(1U << 31U)), static_cast<std::uint32_t>(number(20))});
  }
  const int pieces = *rc::gen::inRange(0, 8);
  for (int i = 0; i < pieces; ++i) {
    PieceRecord piece;
    piece.type = static_cast<PieceType>(*rc::gen::inRange(1, 4));
    piece.shingle = static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max()));
    piece.known = yes();
    record.pieces.push_back(piece);
    for (int w = 0; w < windows; ++w) {
      Sums amounts;
      if (piece.known && w > 0 && yes()) amounts = record.sums.back();
      if (piece.known && yes()) {
        for (std::uint64_t& count : amounts.counted.counts)
          count = yes() ? number(storage::counters::kCountMax) : 0;
        const bool said = yes();
        for (std::uint64_t& count : amounts.said)
          count = said && yes() ? number(storage::counters::kCountMax) : 0;
      }
      record.sums.push_back(amounts);
    }
  }
  const int evidence = *rc::gen::inRange(0, 4);
  for (int i = 0; i < evidence; ++i) {
    record.evidence.push_back(
        {word(), score(), static_cast<rules::Evidence::Effect>(*rc::gen::inRange(0, 3)), yes()});
  }
  return record;
}

}  // namespace shingled::milter::history::testing
