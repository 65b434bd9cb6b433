#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shingled {

/// When `shingled model train` runs by itself.
enum class ModelTrain : std::uint8_t {
  kDaily,  ///< once a day, as soon as the history has enough messages
  kOff,
};

/// Section `model`: trees on the features of messages, trained on this site's own history.
/// Source:  our design "Verdict", 5.
struct ModelOptions {
  /// Written by `shingled model`; need not exist. The one before it has a name that ends in
  /// ".before".
  std::string file = "/var/lib/shingled/model.json";
  ModelTrain train = ModelTrain::kDaily;
  /// Features that training does not use: they tell sources of mail apart more than good from bad.
  /// A name stands also for all features below it.
  std::vector<std::string> features_off = {"header_names", "header_order", "mailer", "list_id",
                                           "hour",         "language",     "html",   "address"};

  friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

}  // namespace shingled
