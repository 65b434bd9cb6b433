#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options/similar_options.h"
#include "milter/rules/score.h"
#include "milter/similar/similar_facts.h"

namespace shingled::milter::rules {

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
  [[nodiscard]] std::string arithmetic(const similar::SimilarHit& of) const;
};

/// Every hit whose list is among `lists`, in their order. Pure.
std::vector<SimilarShare> weigh_similar(const similar::SimilarFacts& facts,
                                        std::span<const SimilarList> lists);

/// Adds them to the symbols: a symbol has its strongest hit, whatever it was found by. What is
/// spared does not count.
void add_similar(std::span<const SimilarShare> shares, std::vector<Symbol>& symbols);

}  // namespace shingled::milter::rules
