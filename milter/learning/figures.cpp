#include "milter/learning/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shingled::milter::learning {

namespace {

constexpr std::size_t kOneIn = 1000;

double probability(const Calibration& calibration, double margin) {
  return 1 / (1 + std::exp(-calibration.slope * (margin - calibration.even)));
}

/// Scores of wanted messages, the highest first.
std::vector<double> wanted_scores(std::span<const Scored> messages) {
  std::vector<double> out;
  for (const Scored& one : messages)
    if (!one.bad) out.push_back(one.score);
  std::ranges::sort(out, std::greater<>());
  return out;
}

}  // namespace

model::Recall recall_of(std::vector<Scored> messages) {
  const std::vector<double> wanted = wanted_scores(messages);
  double all = 0;
  for (const Scored& one : messages) all += one.bad ? one.weight : 0;
  const auto above = [&](std::size_t hit_max) {
    double found = 0;
    for (const Scored& one : messages)
      if (one.bad && (hit_max >= wanted.size() || one.score > wanted[hit_max])) found += one.weight;
    return all > 0 ? found / all : 0;
  };
  return {above(0), above(wanted.size() / kOneIn)};
}

Calibration calibrate(std::span<const Scored> margins) {
  // Newton's method on the two parameters of the logistic function, with a slight pull to a slope
  // of 1, so that classes that do not overlap have an end, too.
  double slope = 1;
  double offset = 0;
  constexpr int kSteps = 50;
  constexpr double kPull = 1;
  for (int step = 0; step < kSteps; ++step) {
    double g0 = kPull * (slope - 1);
    double g1 = kPull * 1e-3 * offset;
    double h00 = kPull;
    double h11 = kPull * 1e-3;
    double h01 = 0;
    for (const Scored& one : margins) {
      const double p = 1 / (1 + std::exp(-(slope * one.score + offset)));
      const double wrong = (p - (one.bad ? 1 : 0)) * one.weight;
      const double spread = std::max(p * (1 - p), 1e-9) * one.weight;
      g0 += wrong * one.score;
      g1 += wrong;
      h00 += spread * one.score * one.score;
      h01 += spread * one.score;
      h11 += spread;
    }
    const double det = h00 * h11 - h01 * h01;
    if (!(std::abs(det) > 1e-12)) break;
    const double d0 = (h11 * g0 - h01 * g1) / det;
    const double d1 = (h00 * g1 - h01 * g0) / det;
    slope -= std::clamp(d0, -1.0, 1.0);
    offset -= std::clamp(d1, -2.0, 2.0);
    if (std::abs(d0) + std::abs(d1) < 1e-9) break;
  }
  if (!std::isfinite(slope) || !std::isfinite(offset) || slope < 0.05) return {};
  return {slope, -offset / slope};
}

double calibration_error(std::span<const Scored> margins, const Calibration& calibration) {
  if (margins.empty()) return 0;
  std::vector<Scored> sorted(margins.begin(), margins.end());
  std::ranges::sort(sorted, {}, &Scored::score);
  constexpr std::size_t kParts = 10;
  double out = 0;
  double all = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    double said = 0;
    double true_ones = 0;
    for (std::size_t i = part * sorted.size() / kParts; i < (part + 1) * sorted.size() / kParts;
         ++i) {
      said += probability(calibration, sorted[i].score) * sorted[i].weight;
      true_ones += sorted[i].bad ? sorted[i].weight : 0;
      all += sorted[i].weight;
    }
    out += std::abs(said - true_ones);
  }
  return all > 0 ? out / all : 0;
}

}  // namespace shingled::milter::learning
