#include "milter/terminal/export_output.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"

namespace shingled::milter::terminal {

namespace {

bool is_device(const std::string& name) {
  struct stat status {};
  return ::stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

Result<ExportOutput> ExportOutput::open(const std::string& name,
                                        storage::formats::NewFile::Existing existing,
                                        Console& console) {
  ExportOutput output(name, console);
  if (name == "-") return output;
  if (is_device(name)) {
    output.device_ = UniqueFd(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!output.device_) return os_error(ErrorCode::kDenied, errno, name);
    return output;
  }
  auto file = storage::formats::NewFile::create(name, existing);
  if (!file) return file.error();
  output.file_.emplace(*std::move(file));
  return output;
}

Status ExportOutput::write(std::string_view lines) {
  if (name_ == "-") {
    console_->line(lines.substr(0, lines.size() - 1));
    if (console_->broken())
      return Error{ErrorCode::kUnavailable, "standard output: cannot be written"};
    return {};
  }
  Status written = write_all(file_ ? file_->fd() : device_.get(), as_bytes(lines));
  return written ? written : Status(written.error().in(name_));
}

Status ExportOutput::finish() { return file_ ? file_->commit() : Status(); }

}  // namespace shingled::milter::terminal
