#include "milter/boosting/booster.h"

#include <xgboost/c_api.h>

#include <cmath>
#include <limits>
#include <utility>

namespace shingled::milter::boosting {

namespace {

Error failure() { return {ErrorCode::kInternal, std::string("XGBoost: ") + ::XGBGetLastError()}; }

/// A matrix of XGBoost, which copies what it is given.
class Data {
 public:
  ~Data() {
    if (handle_ != nullptr) ::XGDMatrixFree(handle_);
  }
  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  Data(Data&&) = delete;
  Data& operator=(Data&&) = delete;

  Status fill(const Matrix& from) {
    const float missing = std::numeric_limits<float>::quiet_NaN();
    if (::XGDMatrixCreateFromMat(from.values.data(), from.rows(), from.columns, missing,
                                 &handle_) != 0)
      return failure();
    if (::XGDMatrixSetFloatInfo(handle_, "label", from.labels.data(), from.rows()) != 0 ||
        ::XGDMatrixSetFloatInfo(handle_, "weight", from.weights.data(), from.rows()) != 0)
      return failure();
    return {};
  }
  [[nodiscard]] DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Trees {
 public:
  ~Trees() {
    if (handle_ != nullptr) ::XGBoosterFree(handle_);
  }
  Trees() = default;
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;
  Trees(Trees&&) = delete;
  Trees& operator=(Trees&&) = delete;

  Status make(const Data* data) {
    const DMatrixHandle one = data == nullptr ? nullptr : data->get();
    if (::XGBoosterCreate(&one, data == nullptr ? 0 : 1, &handle_) != 0) return failure();
    return {};
  }
  Status set(const char* name, const std::string& value) {
    if (::XGBoosterSetParam(handle_, name, value.c_str()) != 0) return failure();
    return {};
  }
  Status name(const std::vector<std::string>& names) {
    std::vector<const char*> texts;
    texts.reserve(names.size());
    for (const std::string& text : names) texts.push_back(text.c_str());
    if (::XGBoosterSetStrFeatureInfo(handle_, "feature_name", texts.data(), texts.size()) != 0)
      return failure();
    return {};
  }
  Status load(const std::string& json) {
    if (::XGBoosterLoadModelFromBuffer(handle_, json.data(), json.size()) != 0) return failure();
    return {};
  }
  Status grow(int round, const Data& data) {
    if (::XGBoosterUpdateOneIter(handle_, round, data.get()) != 0) return failure();
    return {};
  }
  Result<std::vector<float>> margins(const Data& data) {
    const char* const config =
        R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* values = nullptr;
    if (::XGBoosterPredictFromDMatrix(handle_, data.get(), config, &shape, &dimensions, &values) !=
        0)
      return failure();
    return std::vector<float>(values, values + shape[0]);
  }
  Result<std::string> json() {
    bst_ulong bytes = 0;
    const char* text = nullptr;
    if (::XGBoosterSaveModelToBuffer(handle_, R"({"format":"json"})", &bytes, &text) != 0)
      return failure();
    return std::string(text, bytes);
  }

 private:
  BoosterHandle handle_ = nullptr;
};

std::string directions_text(const std::vector<int>& directions) {
  std::string out = "(";
  for (const int direction : directions)
    out.append(out.size() > 1 ? "," : "").append(std::to_string(direction));
  return out + ")";
}

/// How wrong margins are: the mean logarithm of the probability of the truth, by weight.
double loss_of(const std::vector<float>& margins, const Matrix& truth) {
  double loss = 0;
  double weight = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double margin = truth.labels[i] > 0.5F ? margins[i] : -margins[i];
    loss += truth.weights[i] * std::log1p(std::exp(-margin));
    weight += truth.weights[i];
  }
  return weight > 0 ? loss / weight : 0;
}

Status prepare(Trees& trees, const BoostOptions& options) {
  const std::pair<const char*, std::string> parameters[] = {
      {"objective", "binary:logistic"},
      {"tree_method", "hist"},
      {"max_depth", "5"},
      {"eta", "0.1"},
      {"subsample", "0.8"},
      {"colsample_bytree", "0.5"},
      {"min_child_weight", "4"},
      {"lambda", "3"},
      {"max_bin", "64"},
      {"base_score", "0.5"},
      {"nthread", "1"},
      {"verbosity", "0"},
      {"seed", std::to_string(options.seed)},
      {"monotone_constraints", directions_text(options.directions)}};
  for (const auto& [name, value] : parameters)
    if (Status set = trees.set(name, value); !set) return set;
  return {};
}

}  // namespace

Result<Boosted> boost(const Matrix& messages, const Matrix* judge, const BoostOptions& options) {
  Data data;
  if (Status filled = data.fill(messages); !filled) return filled.error();
  Data judged;
  if (judge != nullptr) {
    if (Status filled = judged.fill(*judge); !filled) return filled.error();
  }
  Trees trees;
  if (Status made = trees.make(&data); !made) return made.error();
  if (Status ready = prepare(trees, options); !ready) return ready.error();
  if (Status named = trees.name(options.names); !named) return named.error();
  Boosted out;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < options.rounds_max; ++round) {
    if (Status grown = trees.grow(round, data); !grown) return grown.error();
    if (judge == nullptr) {
      out.rounds = round + 1;
      continue;
    }
    auto margins = trees.margins(judged);
    if (!margins) return margins.error();
    const double loss = loss_of(*margins, *judge);
    if (loss < best) {
      best = loss;
      out.rounds = round + 1;
      out.margins = *std::move(margins);
    } else if (round + 1 - out.rounds >= options.patience) {
      break;
    }
  }
  auto json = trees.json();
  if (!json) return json.error();
  out.json = *std::move(json);
  return out;
}

Result<std::vector<float>> margins_of(const std::string& json, const Matrix& messages) {
  Data data;
  if (Status filled = data.fill(messages); !filled) return filled.error();
  Trees trees;
  if (Status made = trees.make(nullptr); !made) return made.error();
  if (Status loaded = trees.load(json); !loaded) return loaded.error();
  if (Status set = trees.set("nthread", "1"); !set) return set.error();
  return trees.margins(data);
}

std::string booster_name() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  ::XGBoostVersion(&major, &minor, &patch);
  return "XGBoost " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

}  // namespace shingled::milter::boosting
