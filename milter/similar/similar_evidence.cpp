#include "milter/similar/similar_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace shingled::milter::similar {

namespace {

const SimilarList* find_list(std::span<const SimilarList> lists, const std::string& name) {
  const auto list = std::find_if(lists.begin(), lists.end(),
                                 [&](const SimilarList& known) { return known.name == name; });
  return list == lists.end() ? nullptr : &*list;
}

/// By piece: its likeness to the most similar known good file.
std::map<std::size_t, double> good_likeness(const SimilarFacts& facts,
                                            std::span<const SimilarList> lists) {
  std::map<std::size_t, double> out;
  for (const SimilarHit& hit : facts.hits) {
    const SimilarList* list = find_list(lists, hit.list);
    if (list == nullptr || !list->good) continue;
    double& best = out[hit.piece];
    best = std::max(best, hit.likeness());
  }
  return out;
}

constexpr std::size_t kNameBytesShown = 200;  // of the name of a file, in a header

/// A copy of everything that an explanation of a hit needs.
struct WeighedHit {
  SimilarShare share;
  SimilarHit hit;

  [[nodiscard]] rules::Explanation explanation() const;
  [[nodiscard]] std::string undo() const {
    return "shingled similar del --id " + std::to_string(hit.sample_id);
  }
  [[nodiscard]] std::vector<rules::Detail> details() const;
};

/// In the log "SIMILAR_BAD:7.44:similarity 93:list/sample:part".
rules::Explanation WeighedHit::explanation() const {
  const std::string score = share.spared ? "spared" : fmt::format("{:.2f}", share.score);
  const std::string alike = likeness_text(hit);
  const std::string piece = piece_name(hit);
  const std::string sum = share.arithmetic(hit);
  return {.log = fmt::format("{}:{}:{}:{}/{}:{}", share.symbol, score, alike, hit.list, hit.sample,
                             piece),
          .header = share.symbol + "; " + alike + " to " + hit.sample.substr(0, kNameBytesShown) +
                    " of " + hit.list + " in " + piece.substr(0, kNameBytesShown) +
                    (share.spared ? ", spared by a known good file" : ""),
          .arithmetic = sum,
          .details = details(),
          .rows = {{"piece", piece + ", " + std::to_string(hit.bytes) + " bytes"},
                   {"sample", hit.sample},
                   {"list", hit.list + " (" + share.symbol + ")"},
                   {"alike", alike},
                   {"score", sum},
                   {"undo", undo()}}};
}

std::vector<rules::Detail> WeighedHit::details() const {
  return {{"part", hit.part},
          {"file", hit.file},
          {"entry", hit.entry},
          {"bytes", static_cast<std::int64_t>(hit.bytes)},
          {"list", hit.list},
          {"sample", hit.sample},
          {"id", static_cast<std::int64_t>(hit.sample_id)},
          {"similarity", std::int64_t{hit.score}},
          {"shared", std::int64_t{hit.shared}},
          {"asked", std::int64_t{hit.asked}},
          {"likeness", share.likeness},
          {"symbol", share.symbol},
          {"weight", share.weight},
          {"score", share.score},
          {"spared", share.spared},
          {"undo", undo()}};
}

rules::Evidence evidence_of(SimilarShare share, const SimilarHit& hit) {
  rules::Evidence item;
  item.symbol = share.symbol;
  item.score = share.score;
  item.part = hit.part;
  if (share.spared) item.effect = rules::Evidence::Effect::kSpared;
  item.explanation = [found = WeighedHit{std::move(share), hit}] { return found.explanation(); };
  return item;
}

std::vector<rules::Figure> figures_of(const SimilarFacts& facts) {
  std::vector<rules::Figure> figures = {
      {"pieces", "Attachments, their entries and texts looked up.", facts.pieces},
      {"containers", "Containers opened to look inside.", facts.containers}};
  std::map<std::string, std::uint64_t> hits;  // by list
  for (const SimilarHit& hit : facts.hits) ++hits[hit.list];
  for (const auto& [list, count] : hits) {
    figures.push_back(
        {"hits", "Pieces that were like a sample, by its list.", count, "list", list});
  }
  for (const std::string& note : facts.notes) {
    figures.push_back(
        {"notes", "Messages of which something was left out, and why.", 1, "note", note});
  }
  return figures;
}

}  // namespace

std::vector<SimilarShare> weigh_similar(const SimilarFacts& facts,
                                        std::span<const SimilarList> lists) {
  std::vector<SimilarShare> shares;
  const auto good = good_likeness(facts, lists);
  for (std::size_t i = 0; i < facts.hits.size(); ++i) {
    const SimilarHit& hit = facts.hits[i];
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

std::string SimilarShare::arithmetic(const SimilarHit& of) const {
  if (spared) return likeness_text(of) + ", spared: at least as similar to a known good file";
  return fmt::format("{:.2f} ({}) x {:.2f} = {:.2f}", likeness, likeness_text(of), weight, score);
}

rules::Findings similar_findings(const SimilarFacts& facts, std::span<const SimilarList> lists,
                                 Duration time) {
  rules::Findings findings;
  findings.source = &kSimilarSource;
  for (SimilarShare& share : weigh_similar(facts, lists)) {
    const SimilarHit& hit = facts.hits[share.hit];
    findings.evidence.push_back(evidence_of(std::move(share), hit));
  }
  findings.asked = facts.pieces;
  findings.incomplete = facts.incomplete;
  if (facts.incomplete) {
    double most = 0;
    for (const SimilarList& list : lists) most += std::max(list.score, 0.0);
    findings.gaps.push_back({"known files not looked up to the end", most});
  }
  findings.notes = facts.notes;
  findings.figures = figures_of(facts);
  findings.time = time;
  return findings;
}

}  // namespace shingled::milter::similar
