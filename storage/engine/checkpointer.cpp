#include "storage/engine/checkpointer.h"

#include <utility>

namespace shingled::storage::engine {

Result<std::unique_ptr<Checkpointer>> Checkpointer::open(const std::string& path) {
  auto database = sqlite::Database::open(path, sqlite::Database::Access::kReadWrite);
  if (!database) return database.error();
  // A connection learns only by reading that the file is in WAL mode.
  if (auto version = (*database)->integer("PRAGMA user_version"); !version) return version.error();
  return std::unique_ptr<Checkpointer>(new Checkpointer(*std::move(database)));
}

Checkpointer::Checkpointer(std::unique_ptr<sqlite::Database> database)
    : database_(std::move(database)),
      task_("checkpoint", std::nullopt, [this](const std::stop_token&) { work(); }) {}

void Checkpointer::start() {
  if (!std::exchange(state_.lock()->is_under_way, true)) task_.wake();
}

std::optional<Status> Checkpointer::take_outcome() {
  return std::exchange(state_.lock()->outcome, std::nullopt);
}

void Checkpointer::work() {
  Status outcome = database_->checkpoint();
  auto state = state_.lock();
  state->outcome = std::move(outcome);
  state->is_under_way = false;
}

}  // namespace shingled::storage::engine
