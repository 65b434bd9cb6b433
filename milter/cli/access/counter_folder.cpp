#include "milter/cli/access/counter_folder.h"

#include <unistd.h>

namespace shingled::milter::cli {

class CounterFolder::Opened {};

CounterFolder::CounterFolder(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
CounterFolder::~CounterFolder() = default;

bool CounterFolder::exists(const std::string& directory) {
  return ::access((directory + "/counters.db").c_str(), F_OK) == 0;
}

Result<std::unique_ptr<CounterFolder>> CounterFolder::open(const CounterOptions& options,
                                                           Clock& /*clock*/, Random& /*random*/) {
  return Error{ErrorCode::kUnavailable, options.embedded.directory + ": cannot be opened here"};
}

Result<status::HttpReply> CounterFolder::answer(const status::HttpCall& /*call*/,
                                                const status::HttpTaker& /*take*/) {
  return Error{ErrorCode::kUnavailable, "not open"};
}

}  // namespace shingled::milter::cli
