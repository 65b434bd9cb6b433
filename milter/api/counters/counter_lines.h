#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/counters/counter_store.h"

namespace shingled::milter::api {

/// Appends the first line of an export, which says under which key its shingles are
/// (storage/counters/counter_key.h):
///
///   {"key":"98dc12ab90ef3476"}
///
/// Threads: stateless.
void append_mark_line(std::uint64_t mark, std::string& out);

/// Takes such a line off the front; nullopt if there is none.
/// Errors:  kInvalid: not 16 hexadecimal digits.
/// Threads: stateless.
std::optional<Result<std::uint64_t>> take_mark_line(std::string_view& text);

/// Appends the counts of a counter that are not 0, one in each line, as an export has them:
///
///   {"name":"mass_in_5791f8cac2b7d8dd_14_10m_2831519","count":12}
///
/// First the periods of ten minutes, then the days. The count of a day is that of the whole day,
/// its ten minutes included.
/// Threads: stateless.
void append_count_lines(const storage::counters::CounterSeries& counter, std::string& out);

/// Reads such lines; those of one counter follow each other. `now`: the present period: of ten
/// minutes that are not kept any more only the day is left.
/// Errors:  kInvalid: a line is not such a count, comes twice, or is apart from its counter; a day
///          has less than its ten minutes. It names the line, counted from 1.
/// Threads: stateless.
Result<std::vector<storage::counters::CounterSeries>> parse_count_lines(
    std::string_view text, storage::counters::Slot now);

}  // namespace shingled::milter::api
