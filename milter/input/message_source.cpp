#include "milter/input/message_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "config/system/os_error.h"
#include "milter/input/file_tree.h"

namespace shingled::milter::input {

namespace fs = std::filesystem;

namespace {

bool is_maildir(const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(name + "/cur", ignored) && fs::is_directory(name + "/new", ignored);
}

/// "1234.host:2,ST": whether the flags after ":2," contain T.
bool is_trashed(std::string_view file_name) {
  const std::size_t info = file_name.rfind(":2,");
  return info != std::string_view::npos && file_name.find('T', info + 3) != std::string_view::npos;
}

}  // namespace

MessageSource::MessageSource(const std::vector<std::string>& arguments, const Options& options)
    : options_(options) {
  if (arguments.empty()) add_argument("-");
  for (const std::string& argument : arguments) {
    const std::size_t before = files_.size();
    add_argument(argument);
    if (files_.size() != before) continue;
    files_.push_back({argument, 0, Error{ErrorCode::kNotFound, "this folder has no messages"}});
  }
}

std::optional<SourceMessage> MessageSource::next() {
  for (;;) {
    if (!open_) {
      if (files_.empty()) return std::nullopt;
      if (auto failed = open_next()) return failed;
    }
    auto message = open_->next();
    if (!message) return finish_with(message.error());
    if (*message) {
      MessageFile::Message& read = **message;
      std::string name = current_.name;
      if (read.number != 0) name += "#" + std::to_string(read.number);
      return SourceMessage{std::move(name), std::move(read.bytes), read.cut, std::nullopt};
    }
    bytes_closed_ += current_.bytes;
    open_.reset();
  }
}

std::uint64_t MessageSource::bytes_done() const {
  return bytes_closed_ + (open_ ? std::min(open_->position(), current_.bytes) : 0);
}

void MessageSource::add_argument(const std::string& name) {
  struct stat status {};
  if (name == "-") {
    files_.push_back({name, 0, std::nullopt});
  } else if (::stat(name.c_str(), &status) != 0) {
    add_failure(name, errno);
  } else if (S_ISDIR(status.st_mode)) {
    add_directory(name);
  } else {
    const auto bytes = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    files_.push_back({name, bytes, std::nullopt});
    bytes_total_ += bytes;
  }
}

void MessageSource::add_directory(const std::string& name) {
  if (is_maildir(name)) return add_maildir(name);
  const auto names = names_in(name);
  if (!names) {
    files_.push_back({name, 0, names.error()});
    return;
  }
  for (const std::string& entry : *names) {
    if (entry.starts_with('.')) continue;
    const std::string path = below(name, entry);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      if (errno != ENOENT) add_failure(path, errno);  // gone since it was listed: no message
      continue;
    }
    if (S_ISLNK(status.st_mode) &&
        (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))) {
      continue;
    }
    // Devices, sockets and pipes in a folder are not mail, and reading them may never end.
    if (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)) add_argument(path);
  }
}

void MessageSource::add_maildir(const std::string& name) {
  for (const char* folder : {"cur", "new"}) {
    const std::string directory = below(name, folder);
    const auto names = names_in(directory);
    if (!names) {
      files_.push_back({directory, 0, names.error()});
      continue;
    }
    for (const std::string& entry : *names) {
      if (!entry.starts_with('.') && !is_trashed(entry)) add_argument(below(directory, entry));
    }
  }
}

void MessageSource::add_failure(const std::string& name, int reason) {
  files_.push_back({name, 0, os_error(reason)});
}

std::optional<SourceMessage> MessageSource::open_next() {
  current_ = std::move(files_.front());
  files_.pop_front();
  if (current_.error) return finish_with(*current_.error);
  const int fd = current_.name == "-"
                     ? ::dup(options_.standard_input)
                     : ::open(current_.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return finish_with(os_error(errno));
  open_.emplace(UniqueFd(fd), options_.message_bytes_max, options_.line_ends);
  return std::nullopt;
}

SourceMessage MessageSource::finish_with(Error error) {
  bytes_closed_ += current_.bytes;
  open_.reset();
  return {current_.name, "", false, std::move(error)};
}

}  // namespace shingled::milter::input
