#include "milter/desk/counters/counter_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "config/system/os_error.h"
#include "config/system/unique_fd.h"
#include "milter/desk/counters/counter_folder.h"
#include "milter/desk/counters/import_batch.h"
#include "milter/http/http_call.h"
#include "milter/input/message_file.h"

namespace shingled::milter::desk {

Result<std::uint64_t> export_counters(CounterClient& client, const WriteLines& write,
                                      const storage::Watcher& watcher) {
  std::uint64_t lines = 0;
  bool begun = false;
  std::string rest;  // the beginning of a line
  const Status read = client.export_to([&](std::string_view piece) -> Status {
    const std::size_t end = piece.rfind('\n');
    if (end == std::string_view::npos) {
      rest += piece;
      return {};
    }
    rest += piece.substr(0, end + 1);
    lines += static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
    if (!std::exchange(begun, true) && is_mark_line(rest)) --lines;  // it is no number
    if (Status written = write(rest); !written) return written;
    rest = piece.substr(end + 1);
    return watcher({"exporting", lines, 0}) ? Status() : Status(storage::stopped());
  });
  if (!read) return read.error();
  if (!rest.empty()) return Error{ErrorCode::kCorrupt, "the export ends inside a line"};
  return lines;
}

Result<std::uint64_t> import_counters_into(const CounterOptions& into, const std::string& file,
                                           const storage::Watcher& watcher) {
  SystemClock clock;
  SystemRandom random;
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return os_error(errno, file);
  const auto folder = CounterFolder::open(into, clock, random);
  if (!folder) return folder.error();
  ImportBatches batches([&](ImportBatches::Batch batch) {
    const http::HttpCall call{.method = http::HttpMethod::kPost,
                              .target = "/api/1/counters/import",
                              .body = std::move(batch.lines),
                              .type = "application/jsonl"};
    return (*folder)->answer(call, [](std::string_view) { return Status(); });
  });
  input::LineReader lines(std::move(fd));
  std::uint64_t number = 0;
  std::uint64_t imported = 0;
  for (;;) {
    const auto piece = lines.next();
    if (!piece) return piece.error().in(file);
    if (piece->bytes.empty()) break;
    if (piece->starts_line) ++number;
    std::string_view line = piece->bytes;
    while (line.ends_with('\n')) line.remove_suffix(1);
    Status taken;
    if (is_mark_line(line)) {
      taken = batches.set_mark(line);
    } else if (const auto key = read_import_line(line)) {
      ++imported;
      taken = batches.add(*key, line, number);
    } else {
      taken = Error{ErrorCode::kCorrupt, fmt::format("line {}: {}", number, key.error().message)};
    }
    if (!taken) return taken.error().in(file);
    if (!watcher({"importing counters", lines.position(), static_cast<std::uint64_t>(info.st_size),
                  storage::WorkDone::Unit::kBytes}))
      return storage::stopped();
  }
  if (Status finished = batches.finish(); !finished) return finished.error().in(file);
  return imported;
}

}  // namespace shingled::milter::desk
