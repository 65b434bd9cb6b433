// Requests to the counters over HTTP, and lines of an import. What is read stays within its bounds,
// an error is short, and the lines of an import say the same when they are written again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "milter/api/counters/counter_lines.h"
#include "milter/api/counters/counter_request.h"

using namespace shingled;
using namespace shingled::milter::api;

namespace {

using Field = CounterField;

constexpr CounterForm kForms[] = {
    {{Field::kSpace, Field::kPieces, Field::kWindows, Field::kAdd},
     {Field::kPieces, Field::kAdd},
     true},
    {{Field::kSpace, Field::kPieces, Field::kWindows}, {Field::kPieces}},
    {{Field::kSpace, Field::kType, Field::kMeasure, Field::kWindow, Field::kRising, Field::kMost},
     {}},
    {{Field::kAdditions}, {Field::kAdditions}, true},
};
constexpr std::size_t kErrorBytesMax = 400;
constexpr storage::counters::Slot kNow = 2'831'519;

void check(bool holds) {
  if (!holds) std::abort();
}

void read_request(std::string_view body) {
  for (const CounterForm& form : kForms) {
    const auto request = parse_counter_request(body, form, {});
    if (!request) {
      check(!request.error().message.empty() && request.error().message.size() < kErrorBytesMax);
      continue;
    }
    check(request->pieces.size() <= storage::counters::kAdditionKeysMax);
    check(request->windows.size() <= kRequestedWindowsMax);
    check(request->most >= 1 && request->most <= kRequestedMostMax);
    const auto addition = request->addition();
    check(addition.counters.size() + addition.pairs.size() == request->pieces.size());
    if (!form.adds) continue;
    for (const storage::counters::CounterKey& key : addition.counters)
      check(!is_pair(key.type) && !is_unique(key.type));
  }
}

void read_lines(std::string_view text) {
  const auto read = parse_count_lines(text, kNow);
  if (!read) return;
  std::string lines;
  for (const storage::counters::CounterSeries& counter : *read) append_count_lines(counter, lines);
  const auto again = parse_count_lines(lines, kNow);
  if (!again) std::abort();
  std::string same;
  for (const storage::counters::CounterSeries& counter : *again) append_count_lines(counter, same);
  check(lines == same);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_request(text);
  read_lines(text);
  return 0;
}
