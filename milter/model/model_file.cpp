#include "milter/model/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/system/file_system.h"
#include "config/system/whole_file.h"
#include "milter/model/columns.h"
#include "milter/model/json_reader.h"

namespace shingled::milter::model {

namespace {

using nlohmann::json;
using Ordered = nlohmann::ordered_json;

constexpr std::string_view kFormat = "shingled model";
constexpr std::size_t kTextMax = 200;

std::uint64_t sum_of(std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * kPrime;
  return hash;
}

Ordered json_of(const Recall& recall) {
  return {{"recall_0", recall.at_none}, {"recall_1000", recall.at_thousandth}};
}

Ordered json_of(const Tree& tree) {
  Ordered feature = Ordered::array();
  Ordered threshold = Ordered::array();
  Ordered left = Ordered::array();
  Ordered right = Ordered::array();
  Ordered unknown_left = Ordered::array();
  Ordered value = Ordered::array();
  for (const TreeNode& node : tree) {
    feature.push_back(node.feature);
    threshold.push_back(static_cast<double>(node.threshold));
    left.push_back(node.left);
    right.push_back(node.right);
    unknown_left.push_back(node.unknown_left ? 1 : 0);
    value.push_back(node.value);
  }
  return {{"feature", std::move(feature)},
          {"threshold", std::move(threshold)},
          {"left", std::move(left)},
          {"right", std::move(right)},
          {"unknown_left", std::move(unknown_left)},
          {"value", std::move(value)}};
}

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> out;
  for (const ModelFeature& feature : model.features) out.push_back(feature.name);
  return out;
}

Ordered figures_json(const Model& model) {
  if (!model.has_figures) return nullptr;
  const Figures& figures = model.figures;
  return {{"bad", figures.bad},
          {"wanted", figures.wanted},
          {"calibration_error", figures.calibration_error},
          {"rules", json_of(figures.rules)},
          {"model", json_of(figures.model)},
          {"both", json_of(figures.both)},
          {"before", figures.has_before ? json_of(figures.before) : Ordered(nullptr)}};
}

/// Without its id.
Ordered json_of(const Model& model) {
  Ordered features = Ordered::array();
  for (const ModelFeature& feature : model.features)
    features.push_back(
        {{"name", feature.name}, {"gain", feature.gain}, {"unknown", feature.unknown}});
  Ordered trees = Ordered::array();
  for (const Tree& tree : model.trees) trees.push_back(json_of(tree));
  const TrainedOn& from = model.from;
  return {{"format", kFormat},
          {"version", kFormatVersion},
          {"meaning", fmt::format("{:016x}", meaning_of(names_of(model)))},
          {"trained", model.trained},
          {"trainer", model.trainer},
          {"base", model.base},
          {"zero", model.zero},
          {"full", model.full},
          {"training",
           {{"since", from.since},
            {"until", from.until},
            {"bad", from.bad},
            {"wanted", from.wanted},
            {"reported", from.reported},
            {"rescued", from.rescued},
            {"left_out", from.left_out}}},
          {"figures", figures_json(model)},
          {"scores", model.scores},
          {"features", std::move(features)},
          {"trees", std::move(trees)}};
}

std::uint64_t count_of(const json& from) {
  return from.is_number_unsigned() ? from.get<std::uint64_t>() : 0;
}
std::int64_t time_of(const json& from) {
  constexpr std::int64_t kTimeMax = 253'402'300'799;  // the year 9999
  if (!from.is_number_integer()) return 0;
  const auto time = from.get<std::int64_t>();
  return time < 0 || time > kTimeMax ? 0 : time;
}

Recall recall_of(const json& from) {
  return {number_of(member(from, "recall_0"), 0), number_of(member(from, "recall_1000"), 0)};
}

void read_figures(const json& from, Model& out) {
  if (!from.is_object()) return;
  out.has_figures = true;
  Figures& figures = out.figures;
  figures.bad = count_of(member(from, "bad"));
  figures.wanted = count_of(member(from, "wanted"));
  figures.calibration_error = number_of(member(from, "calibration_error"), 0);
  figures.rules = recall_of(member(from, "rules"));
  figures.model = recall_of(member(from, "model"));
  figures.both = recall_of(member(from, "both"));
  figures.has_before = member(from, "before").is_object();
  figures.before = recall_of(member(from, "before"));
}

/// A whole number from 0 to `most`; nullopt for anything else.
std::optional<std::int64_t> whole(const json& from, std::int64_t least, std::int64_t most) {
  if (!from.is_number_integer()) return std::nullopt;
  if (from.is_number_unsigned() && from.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto value = from.get<std::int64_t>();
  if (value < least || value > most) return std::nullopt;
  return value;
}

Result<Tree> tree_of(const json& from, std::size_t number) {
  constexpr std::array<const char*, 6> kNames = {"feature", "threshold",    "left",
                                                 "right",   "unknown_left", "value"};
  std::array<const json*, 6> lists{};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    lists[i] = &member(from, kNames[i]);
    if (!lists[i]->is_array() || lists[i]->size() != lists[0]->size())
      return Error{ErrorCode::kCorrupt,
                   fmt::format("tree {}: \"{}\" is not a list with a number for each node", number,
                               kNames[i])};
  }
  const std::size_t nodes = lists[0]->size();
  if (nodes > kNodesMax)
    return Error{ErrorCode::kLimit, fmt::format("tree {}: more than {} nodes", number, kNodesMax)};
  Tree out(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto feature = whole((*lists[0])[i], -1, kNamesMax);
    const auto left = whole((*lists[2])[i], 0, kNodesMax);
    const auto right = whole((*lists[3])[i], 0, kNodesMax);
    const auto unknown = whole((*lists[4])[i], 0, 1);
    const json& threshold = (*lists[1])[i];
    const json& value = (*lists[5])[i];
    if (!feature || !left || !right || !unknown || !threshold.is_number() || !value.is_number())
      return Error{ErrorCode::kCorrupt,
                   fmt::format("tree {}, node {}: a number is missing or out of range", number, i)};
    out[i] = {static_cast<std::int32_t>(*feature),
              static_cast<float>(threshold.get<double>()),
              static_cast<std::uint32_t>(*left),
              static_cast<std::uint32_t>(*right),
              *unknown == 1,
              value.get<double>()};
  }
  return out;
}

Status read_features(const json& from, Model& out) {
  const json& list = member(from, "features");
  if (!list.is_array()) return Error{ErrorCode::kCorrupt, "\"features\" is not a list"};
  if (list.size() > kNamesMax)
    return Error{ErrorCode::kLimit, fmt::format("more than {} features", kNamesMax)};
  for (const json& item : list)
    out.features.push_back({text_of(member(item, "name")), number_of(member(item, "gain"), 0),
                            number_of(member(item, "unknown"), -1)});
  return {};
}

Status read_trees(const json& from, Model& out) {
  const json& list = member(from, "trees");
  if (!list.is_array()) return Error{ErrorCode::kCorrupt, "\"trees\" is not a list"};
  if (list.size() > kTreesMax)
    return Error{ErrorCode::kLimit, fmt::format("{} trees, at most {}", list.size(), kTreesMax)};
  for (const json& item : list) {
    auto tree = tree_of(item, out.trees.size());
    if (!tree) return tree.error();
    out.trees.push_back(*std::move(tree));
  }
  return {};
}

void read_scores(const json& from, Model& out) {
  if (!from.is_array() || from.size() != out.scores.size()) return;
  for (std::size_t i = 0; i < out.scores.size(); ++i) out.scores[i] = number_of(from[i], 0);
}

std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

std::string text_of(Model& model) {
  Ordered out = json_of(model);
  model.id = fmt::format("{:016x}", sum_of(out.dump()));
  out["id"] = model.id;
  return out.dump() + "\n";
}

Result<Model> model_of(std::string_view text) {
  const auto read = read_json(text);
  if (!read) return read.error();
  if (text_of(member(*read, "format")) != kFormat)
    return Error{ErrorCode::kCorrupt, "not a model of shingled (shingled model import)"};
  if (member(*read, "version") != kFormatVersion)
    return Error{ErrorCode::kInvalid, "of another version of the format"};
  Model out;
  out.trained = time_of(member(*read, "trained"));
  out.trainer = text_of(member(*read, "trainer")).substr(0, kTextMax);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  out.base = number_of(member(*read, "base"), kNone);
  out.zero = number_of(member(*read, "zero"), kNone);
  out.full = number_of(member(*read, "full"), kNone);
  if (Status features = read_features(*read, out); !features) return features.error();
  if (Status trees = read_trees(*read, out); !trees) return trees.error();
  if (Status checked = check_model(out); !checked) return checked.error();
  if (text_of(member(*read, "meaning")) != fmt::format("{:016x}", meaning_of(names_of(out))))
    return Error{ErrorCode::kInvalid,
                 "of another version of the features; train a new one (shingled model train)"};
  const json& from = member(*read, "training");
  out.from = {time_of(member(from, "since")),     time_of(member(from, "until")),
              count_of(member(from, "bad")),      count_of(member(from, "wanted")),
              count_of(member(from, "reported")), count_of(member(from, "rescued")),
              count_of(member(from, "left_out"))};
  read_figures(member(*read, "figures"), out);
  read_scores(member(*read, "scores"), out);
  out.id = text_of(member(*read, "id"));
  Model again = out;
  static_cast<void>(text_of(again));
  if (again.id != out.id)
    return Error{ErrorCode::kCorrupt, "its checksum (\"id\") is not that of its content"};
  return out;
}

Result<Model> read_model(const std::string& path) {
  const auto file = read_whole_file(path, kModelBytesMax);
  if (!file) return file.error();
  auto model = model_of(file->text);
  if (!model) return model.error().in(path);
  return model;
}

std::string file_before(const std::string& path) { return path + ".before"; }

Status replace_file(const std::string& path, std::string_view text) {
  const auto [folder, name] = split(path);
  const std::string fresh = name + ".new";
  const auto files = folder_files(folder);
  auto out = files->create(fresh);
  if (!out) return out.error();
  Status done = (*out)->append(as_bytes(text));
  if (done) done = (*out)->sync();
  if (done) done = files->rename(fresh, name);
  if (!done) {
    static_cast<void>(files->remove(fresh));
    return done.error().in(path);
  }
  return files->sync_names();
}

Status publish_model(const std::string& path, Model& model) {
  const std::string text = text_of(model);
  if (auto checked = model_of(text); !checked) return checked.error().in("the new model");
  // The old one is copied first, so that there is a whole file under both names at any time.
  if (const auto old = read_whole_file(path, kModelBytesMax); old && old->text != text) {
    if (Status kept = replace_file(file_before(path), old->text); !kept) return kept;
  }
  return replace_file(path, text);
}

Status roll_back(const std::string& path) {
  const auto before = read_whole_file(file_before(path), kModelBytesMax);
  if (!before && before.error().code == ErrorCode::kNotFound)
    return Error{ErrorCode::kNotFound, "there is no model before this one"};
  if (!before) return before.error();
  if (auto checked = model_of(before->text); !checked) return checked.error().in(file_before(path));
  const auto now = read_whole_file(path, kModelBytesMax);
  if (Status put = replace_file(path, before->text); !put) return put;
  return now ? replace_file(file_before(path), now->text) : Status();
}

Result<ModelLock> ModelLock::take(const std::string& path) {
  const std::string file = path + ".lock";
  const int fd = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd < 0) return Error{ErrorCode::kUnavailable, file + ": " + std::strerror(errno)};
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return Error{ErrorCode::kUnavailable,
                 "another process trains, imports or rolls back a model now"};
  }
  return ModelLock(fd);
}

ModelLock::~ModelLock() {
  if (fd_ >= 0) ::close(fd_);
}

ModelLock::ModelLock(ModelLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

}  // namespace shingled::milter::model
