#include "storage/formats/row_list.h"

#include <algorithm>

#include "config/base/hex.h"

namespace shingled::storage::formats {

bool RowChoice::takes(const sqlite::FuzzyRow& row) const {
  if (row.updated < updated_least || row.updated > updated_most) return false;
  const auto fits = [&](const FlagValue& entry) {
    return (!flag || entry.flag == *flag) && (!value_least || entry.value >= *value_least);
  };
  const auto lists = row.flags.all();
  if (std::none_of(lists.begin(), lists.end(), fits)) return false;
  return digest.empty() || to_hex(row.digest.bytes).starts_with(digest);
}

std::int32_t RowChoice::value(const sqlite::FuzzyRow& row) const {
  for (const FlagValue& entry : row.flags.all()) {
    if (entry.flag == flag) return entry.value;
  }
  return row.flags.front().value;
}

std::optional<RowOrder> parse_row_order(std::string_view text) {
  if (text == "file") return RowOrder::kFile;
  if (text == "value") return RowOrder::kValue;
  if (text == "newest") return RowOrder::kNewest;
  if (text == "oldest") return RowOrder::kOldest;
  if (text == "hits") return RowOrder::kHits;
  return std::nullopt;
}

bool RowBefore::operator()(const ListedRow& a, const ListedRow& b) const {
  switch (order) {
    case RowOrder::kValue:
      return a.value > b.value;
    case RowOrder::kNewest:
      return a.row.updated > b.row.updated;
    case RowOrder::kOldest:
      return a.row.updated < b.row.updated;
    case RowOrder::kHits:
      return a.hits > b.hits;
    case RowOrder::kFile:
      break;
  }
  return a.row.id < b.row.id;
}

std::optional<ListedRow> listed(const sqlite::FuzzyRow& row, const RowChoice& choice,
                                RowOrder order, const HitTable& hits) {
  if (!choice.takes(row)) return std::nullopt;
  ListedRow out{row, row.shingles.has_value(), choice.value(row), 0};
  out.row.shingles.reset();
  if (order != RowOrder::kHits) return out;
  const auto hit = hits.find(row.digest);
  if (hit == hits.end()) return std::nullopt;
  out.hits = hit->second;
  return out;
}

}  // namespace shingled::storage::formats
