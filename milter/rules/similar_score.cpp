#include "milter/rules/similar_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace shingled::milter::rules {

namespace {

const SimilarList* find_list(std::span<const SimilarList> lists, const std::string& name) {
  const auto list = std::find_if(lists.begin(), lists.end(),
                                 [&](const SimilarList& known) { return known.name == name; });
  return list == lists.end() ? nullptr : &*list;
}

/// By piece, how like what is known as good it is.
std::map<std::size_t, double> good_likeness(const similar::SimilarFacts& facts,
                                            std::span<const SimilarList> lists) {
  std::map<std::size_t, double> out;
  for (const similar::SimilarHit& hit : facts.hits) {
    const SimilarList* list = find_list(lists, hit.list);
    if (list == nullptr || !list->good) continue;
    double& best = out[hit.piece];
    best = std::max(best, hit.likeness());
  }
  return out;
}

}  // namespace

std::vector<SimilarShare> weigh_similar(const similar::SimilarFacts& facts,
                                        std::span<const SimilarList> lists) {
  std::vector<SimilarShare> shares;
  const auto good = good_likeness(facts, lists);
  for (std::size_t i = 0; i < facts.hits.size(); ++i) {
    const similar::SimilarHit& hit = facts.hits[i];
    const SimilarList* list = find_list(lists, hit.list);
    if (list == nullptr) continue;
    const auto spared_to = good.find(hit.piece);
    SimilarShare& share = shares.emplace_back();
    share.hit = i;
    share.symbol = list->symbol;
    share.likeness = hit.likeness();
    share.weight = list->score;
    share.spared = !list->good && spared_to != good.end() && spared_to->second >= share.likeness;
    share.score = share.spared ? 0 : share.likeness * share.weight;
  }
  return shares;
}

void add_similar(std::span<const SimilarShare> shares, std::vector<Symbol>& symbols) {
  for (const SimilarShare& share : shares) {
    if (share.spared) continue;
    auto symbol = std::find_if(symbols.begin(), symbols.end(),
                               [&](const Symbol& known) { return known.name == share.symbol; });
    if (symbol == symbols.end()) {
      symbol = symbols.insert(symbols.end(), {share.symbol, share.score, 0});
    }
    if (std::abs(share.score) > std::abs(symbol->score)) symbol->score = share.score;
    ++symbol->hits;
  }
}

std::string SimilarShare::arithmetic(const similar::SimilarHit& of) const {
  if (spared)
    return similar::likeness_text(of) + ", spared: at least as like what is known as good";
  return fmt::format("{:.2f} ({}) x {:.2f} = {:.2f}", likeness, similar::likeness_text(of), weight,
                     score);
}

}  // namespace shingled::milter::rules
