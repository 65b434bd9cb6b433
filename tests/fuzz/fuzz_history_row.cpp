// Rows of the history. What is read stays within its bounds and is the same when it is written and
// read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "milter/history/row_code.h"

using namespace shingled;
using namespace shingled::milter::history;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MessageRecord record;  // its memory is used again, as when a file is read
  if (!decode_record({data, size}, record)) return 0;
  check(record.windows.size() <= kWindowsMax && record.pieces.size() <= kPiecesMax);
  check(record.evidence.size() <= kEvidenceMax);
  check(record.sums.size() == record.pieces.size() * record.windows.size());
  MessageRecord again;
  check(decode_record(encode_record(record), again).has_value());
  for (std::size_t i = 0; i < record.pieces.size(); ++i) check(again.pieces[i] == record.pieces[i]);
  check(again.evidence == record.evidence && again.features == record.features);
  return 0;
}
