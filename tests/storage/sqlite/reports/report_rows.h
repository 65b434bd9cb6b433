#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storage/sqlite/reports/report_table.h"

namespace shingled::storage::sqlite {

using What = ReportOutcome::What;

inline constexpr std::uint64_t kSite = UINT64_MAX - 5;

inline Result<WantedWeight> one_a_supporter(const ReportedHash& /*hash*/,
                                            std::span<const Supporter> supporters) {
  return WantedWeight{static_cast<std::int32_t>(supporters.size()), 7};
}

inline ReportRow row(std::uint64_t message, std::uint64_t reporter, ReportKind kind,
                     std::int64_t time = 100) {
  ReportRow out{message, reporter, kind, time, {}};
  out.hashes.push_back({.flag = 11, .per_spam = 1, .per_ham = -1});
  out.hashes.back().fingerprint.shingles.emplace().fill(5);
  return out;
}

inline std::unique_ptr<ReportTable> open_table(const std::string& path) {
  auto table = ReportTable::open(path, kSite);
  if (!table) ADD_FAILURE() << table.error().message;
  return table ? *std::move(table) : nullptr;
}

/// A report of a hash whose digest begins with `first`, and whose shingles are all `shingle`.
inline ReportRow of_hash(std::uint64_t message, std::uint64_t reporter, std::uint8_t first,
                         std::uint64_t shingle, ReportKind kind = ReportKind::kSpam) {
  ReportRow out = row(message, reporter, kind, 100);
  out.hashes[0].fingerprint.digest.bytes[0] = first;
  out.hashes[0].fingerprint.shingles->fill(shingle);
  return out;
}

}  // namespace shingled::storage::sqlite
