#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "milter/rules/evidence.h"
#include "milter/similar/similar_search.h"

namespace shingled::milter::similar {

/// Known files.
inline constexpr rules::Source kSimilarSource = {
    .key = "similar", .title = "known files", .unit = "pieces"};

/// What one hit in the library weighs:
///
///   score = likeness x weight of the list
struct SimilarShare {
  std::size_t hit = 0;  ///< into SimilarFacts::hits
  std::string symbol;
  double likeness = 0;
  double weight = 0;
  double score = 0;     ///< the product; 0 if spared
  bool spared = false;  ///< the piece is at least as like a sample of a good list

  /// "0.93 (similarity 93) x 8.00 = 7.44"
  [[nodiscard]] std::string arithmetic(const SimilarHit& of) const;
};

/// Every hit whose list is among `lists`, in their order. Pure.
std::vector<SimilarShare> weigh_similar(const SimilarFacts& facts,
                                        std::span<const SimilarList> lists);

/// What the library says of a message; `time` is what it took. That some files were not looked up
/// matters as far as all lists together could have added to the score. Pure.
rules::Findings similar_findings(const SimilarFacts& facts, std::span<const SimilarList> lists,
                                 Duration time);

}  // namespace shingled::milter::similar
