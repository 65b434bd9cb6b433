#include "milter/transfer/hash_source.h"

#include <memory>
#include <utility>

namespace shingled::milter::transfer {

Result<HashSource> read_file(const std::string& hashfile) {
  auto opened = storage::sqlite::FuzzyTable::open_read_only(hashfile);
  if (!opened) return opened.error();
  const std::shared_ptr<storage::sqlite::FuzzyTable> table = *std::move(opened);
  if (Status held = table->hold_still(); !held) return held.error();
  const auto count = table->count();
  if (!count) return count.error();
  const auto read = [table](const TakeRow& take) {
    Status outcome;
    Status walked = table->for_each([&](const storage::sqlite::FuzzyRow& row) {
      outcome = take(row);
      return outcome.has_value();
    });
    return outcome ? walked : outcome;
  };
  return HashSource{static_cast<std::uint64_t>(*count), read};
}

HashSource read_redis(const storage::redis::TransferOptions& options,
                      storage::redis::DumpReport& told, const storage::Watcher& watcher,
                      Clock& clock, Logger& logger) {
  const auto read = [options, &told, watcher, &clock, &logger](const TakeRow& take) -> Status {
    const auto report = storage::redis::dump_redis(options, take, watcher, clock, logger);
    if (!report) return report.error();
    told = *report;
    return {};
  };
  return {std::nullopt, read};
}

}  // namespace shingled::milter::transfer
