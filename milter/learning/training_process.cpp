#include "milter/learning/training_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstring>

#include "config/system/whole_file.h"
#include "milter/model/json_reader.h"
#include "milter/model/model_file.h"

namespace shingled::milter::learning {

namespace {

constexpr std::array<std::string_view, 3> kKinds = {"published", "refused", "failed"};
constexpr std::size_t kResultBytesMax = 65'536;

std::string result_file(const std::string& model_file) { return model_file + ".training"; }

}  // namespace

std::string_view to_string(TrainingResult::Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

Status write_result(const std::string& model_file, const TrainingResult& result) {
  const nlohmann::json json = {
      {"result", to_string(result.kind)}, {"text", result.text}, {"time", result.time}};
  return model::replace_file(
      result_file(model_file),
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::optional<TrainingResult> read_result(const std::string& model_file) {
  const auto file = read_whole_file(result_file(model_file), kResultBytesMax);
  if (!file) return std::nullopt;
  const auto json = model::read_json(file->text);
  if (!json) return std::nullopt;
  const std::string kind = model::text_of(model::member(*json, "result"));
  TrainingResult out;
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == kind) out.kind = static_cast<TrainingResult::Kind>(i);
  out.text = model::text_of(model::member(*json, "text"));
  const double time = model::number_of(model::member(*json, "time"), 0);
  if (time > 0 && time < 1e12) out.time = static_cast<std::int64_t>(time);
  return out;
}

std::string training_program() {
  std::array<char, PATH_MAX> self{};
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size() - 1);
  if (length <= 0) return {};
  const std::string path(self.data(), static_cast<std::size_t>(length));
  const std::string folder = path.substr(0, path.rfind('/'));
  for (const std::string& place :
       {folder + "/shingled-train", folder + "/../lib/shingled/shingled-train"})
    if (::access(place.c_str(), X_OK) == 0) return place;
  return {};
}

Result<pid_t> start_training(const std::string& config, const std::vector<std::string>& overrides) {
  const std::string program = training_program();
  if (program.empty()) return Error{ErrorCode::kUnavailable, "this machine has no shingled-train"};
  std::vector<std::string> words = {program};
  if (!config.empty()) words.insert(words.end(), {"--config", config});
  for (const std::string& item : overrides) words.insert(words.end(), {"--override", item});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // The daemon blocks signals for itself.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{ErrorCode::kUnavailable, program + ": " + std::strerror(failed)};
  return child;
}

}  // namespace shingled::milter::learning
