#include "storage/counters/live/counter_log.h"

#include <utility>

namespace shingled::storage::counters {

namespace {

// The fields are the slot; a record is an addition.
constexpr log::LogKind kKind = {
    .what = "counters",
    .magic = {'s', 'h', 'g', 'c', 'l', 'o', 'g', '1'},
    .fields_bytes = 4,
    .body_bytes_min = 0,
    .body_bytes_max = 4 + 8 * kMeasures + 1 + 17 * kAdditionKeysMax,
};

}  // namespace

Result<std::unique_ptr<CounterLog>> CounterLog::create(FileSystem& files, const std::string& name,
                                                       Slot slot) {
  Bytes fields;
  append_number(fields, slot);
  auto created = log::RecordLog::create(files, name, kKind, fields);
  if (!created) return created.error();
  Status made = (*created)->sync();
  if (made) made = files.sync_names();
  if (!made) {
    static_cast<void>(files.remove(name));
    return made.error().in(name);
  }
  return std::unique_ptr<CounterLog>(new CounterLog(*std::move(created)));
}

CounterLog::CounterLog(std::unique_ptr<log::RecordLog> log) : log_(log.get()) {
  state_.lock()->log = std::move(log);
}

Status CounterLog::append(const Addition& addition) {
  auto state = state_.lock();
  state->log->add([&](Bytes& body) { encode_addition(addition, body); });
  if (Status written = state->log->write(); !written) return written;
  state->is_synced = false;
  bytes_.store(state->log->bytes(), std::memory_order_relaxed);
  return {};
}

Status CounterLog::sync() {
  const MutexLock turn(syncing_);
  if (is_doubtful()) return Error{ErrorCode::kUnavailable, "an earlier sync failed"};
  if (std::exchange(state_.lock()->is_synced, true)) return {};
  Status synced = log_->sync();
  if (!synced) is_doubtful_.store(true, std::memory_order_relaxed);
  return synced;
}

Result<LogContent> read_log(FileSystem& files, const std::string& name,
                            const std::function<Status(Slot, const Addition&)>& take) {
  LogContent content;
  const auto reading = log::read_records(
      files, name, kKind,
      [&](BytesView fields) {
        content.slot = ByteReader(fields).u32();
        return true;
      },
      [&](BytesView body) -> Result<bool> {
        const auto addition = decode_addition(body);
        if (!addition)
          return Error{ErrorCode::kCorrupt, name + ": holds an addition of another version"};
        if (Status taken = take(content.slot, *addition); !taken) return taken.error();
        return true;
      });
  if (!reading) return reading.error();
  content.additions = reading->records;
  content.bytes_lost = reading->bytes_lost;
  return content;
}

}  // namespace shingled::storage::counters
