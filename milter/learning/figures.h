#pragma once

#include <span>
#include <vector>

#include "milter/model/model.h"

namespace shingled::milter::learning {

/// A message with what somebody gives it.
struct Scored {
  double score = 0;
  bool bad = false;
  double weight = 1;
};

/// The part of the bad mail, by weight, with more than any wanted message, or all but one in a
/// thousand of them.
model::Recall recall_of(std::vector<Scored> messages);

/// The probability of bad mail is 1 / (1 + exp(-slope * (margin - even))).
struct Calibration {
  double slope = 1;
  double even = 0;
};
/// Fits it.
/// Source:  Platt, "Probabilistic outputs for support vector machines", 1999.
Calibration calibrate(std::span<const Scored> margins);
/// The mean difference between probability and truth, over ten parts with equally many messages.
double calibration_error(std::span<const Scored> margins, const Calibration& calibration);

}  // namespace shingled::milter::learning
