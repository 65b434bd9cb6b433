#include "milter/cli/similar/sample_hits.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "milter/cli/output/lookup_output.h"

namespace shingled::milter::cli {

namespace {

std::string undo_of(const similar::SimilarHit& hit) {
  return fmt::format("shingled similar del --id {}", hit.sample_id);
}

}  // namespace

Result<std::shared_ptr<const storage::similar::SampleLibrary>> open_samples(
    const SimilarOptions& options) {
  if (!options.enabled) return std::shared_ptr<const storage::similar::SampleLibrary>();
  auto opened = storage::similar::SampleLibrary::open({.file = options.file,
                                                       .part_block_size = options.part_block_size,
                                                       .parts = options.parts,
                                                       .read_only = true});
  if (!opened) return opened.error().in("similar.file " + options.file);
  return std::shared_ptr<const storage::similar::SampleLibrary>(*std::move(opened));
}

Json samples_json(const rules::Facts& facts, const rules::Verdict& verdict,
                  const SimilarOptions& options) {
  if (!options.enabled) return nullptr;
  Json hits = Json::array();
  for (const rules::SimilarShare& share : verdict.similar) {
    const similar::SimilarHit& hit = facts.similar.hits[share.hit];
    hits.push_back({{"part", hit.part},
                    {"file", hit.file},
                    {"entry", hit.entry},
                    {"bytes", hit.bytes},
                    {"list", hit.list},
                    {"sample", hit.sample},
                    {"id", hit.sample_id},
                    {"similarity", hit.score},
                    {"shared", hit.shared},
                    {"asked", hit.asked},
                    {"likeness", share.likeness},
                    {"symbol", share.symbol},
                    {"weight", share.weight},
                    {"score", share.score},
                    {"spared", share.spared},
                    {"undo", undo_of(hit)}});
  }
  return {{"pieces", facts.similar.pieces},
          {"containers", facts.similar.containers},
          {"notes", facts.similar.notes},
          {"hits", std::move(hits)}};
}

void print_samples(const rules::Facts& facts, const rules::Verdict& verdict,
                   const SimilarOptions& options, Console& console) {
  if (!options.enabled) return;
  console.line(fmt::format("  known files: {} of {} pieces hit", verdict.similar.size(),
                           facts.similar.pieces));
  for (const rules::SimilarShare& share : verdict.similar) {
    const similar::SimilarHit& hit = facts.similar.hits[share.hit];
    std::vector<TableRow> rows;
    rows.push_back(
        {"piece", fmt::format("{}, {} bytes", terminal_safe(similar::piece_name(hit)), hit.bytes)});
    rows.push_back({"sample", terminal_safe(hit.sample)});
    rows.push_back({"list", fmt::format("{} ({})", hit.list, share.symbol)});
    rows.push_back({"alike", similar::likeness_text(hit)});
    rows.push_back({"score", share.arithmetic(hit)});
    rows.push_back({"undo", undo_of(hit)});
    for (const std::string& line : table_lines(rows, "    ")) console.line(line);
  }
  for (const std::string& note : facts.similar.notes) console.line("  note: " + note);
}

}  // namespace shingled::milter::cli
