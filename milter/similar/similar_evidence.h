#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "milter/rules/evidence.h"
#include "milter/similar/similar_search.h"

namespace shingled::milter::similar {

/// The source "known files".
inline constexpr rules::Source kSimilarSource = {
    .key = "similar", .title = "known files", .unit = "pieces"};

/// The weight of one hit in the library:
///
///   score = likeness x weight of the list
struct SimilarShare {
  std::size_t hit = 0;  ///< into SimilarFacts::hits
  std::string symbol;
  double likeness = 0;
  double weight = 0;
  double score = 0;     ///< the product; 0 if spared
  bool spared = false;  ///< the piece is at least as similar to a sample of a good list

  /// "0.93 (similarity 93) x 8.00 = 7.44"
  [[nodiscard]] std::string arithmetic(const SimilarHit& of) const;
};

/// The share of each hit whose list is in `lists`, in the order of the hits. Pure.
std::vector<SimilarShare> weigh_similar(const SimilarFacts& facts,
                                        std::span<const SimilarList> lists);

/// The findings of the library about a message. `time`: the time of the look-ups. If some files
/// were not looked up, there is a gap of the score that all lists together could have added. Pure.
rules::Findings similar_findings(const SimilarFacts& facts, std::span<const SimilarList> lists,
                                 Duration time);

}  // namespace shingled::milter::similar
