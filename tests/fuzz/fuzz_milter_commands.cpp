// A stream of the milter protocol, cut into pieces as the input says. The commands are the same as
// for the stream in one piece and as for a reader that reads nothing ahead, and they are its bytes.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/base/byte_reader.h"
#include "milter/mta/command_reader.h"

using namespace shingled;
using namespace shingled::milter::mta;

namespace {

constexpr std::size_t kDataMax = 200000;
constexpr std::uint64_t kMemory = 4 * kDataMax;

class Pieces final : public CommandReader::Source {
 public:
  Pieces(BytesView stream, BytesView sizes) : rest_(stream), sizes_(sizes) {}

  ssize_t receive(std::span<iovec> blocks, std::chrono::milliseconds /*patience*/) override {
    std::size_t most = sizes_.empty() ? rest_.size() : sizes_[piece_++ % sizes_.size()];
    if (most == 0 && !rest_.empty() && signals_++ < 3) {
      errno = EINTR;
      return -1;
    }
    most = std::min(std::max<std::size_t>(most, 1), rest_.size());
    const std::size_t before = rest_.size();
    for (const iovec& block : blocks) {
      const std::size_t here = std::min(most, block.iov_len);
      if (here > 0) std::memcpy(block.iov_base, rest_.data(), here);
      rest_ = rest_.subspan(here);
      most -= here;
    }
    return static_cast<ssize_t>(before - rest_.size());
  }

 private:
  BytesView rest_;
  BytesView sizes_;
  std::size_t piece_ = 0;
  int signals_ = 0;
};

struct Told {
  std::string bytes;  ///< of all commands, as they were coded
  CommandReader::End end = CommandReader::End::kNone;
  friend bool operator==(const Told&, const Told&) = default;
};

Told read(BytesView stream, BytesView sizes, bool ahead) {
  const auto budget = std::make_shared<MemoryBudget>(kMemory);
  CommandReader reader(kDataMax, ahead, budget);
  Pieces pieces(stream, sizes);
  Told told;
  for (;;) {
    const CommandReader::Command command = reader.next(pieces, std::chrono::milliseconds(1));
    if (budget->used() > kDataMax) std::abort();
    told.end = command.end;
    if (command.end != CommandReader::End::kNone) break;
    if (command.length > kDataMax || (command.data == nullptr) != (command.length == 0))
      std::abort();
    const auto length = static_cast<std::uint32_t>(command.length + 1);
    for (const unsigned shift : {24U, 16U, 8U, 0U})
      told.bytes.push_back(static_cast<char>(length >> shift));
    told.bytes.push_back(command.letter);
    told.bytes.append(command.data.get(), command.length);
  }
  if (budget->used() != 0 || reader.pending()) std::abort();
  return told;
}

}  // namespace

/// Input: a number n, the sizes of n pieces (0 = a signal), the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const BytesView input = BytesView(data, size).subspan(1);
  const BytesView sizes = input.first(std::min<std::size_t>(data[0], input.size()));
  const BytesView stream = input.subspan(sizes.size());
  const Told whole = read(stream, {}, true);
  if (read(stream, sizes, true) != whole || read(stream, sizes, false) != whole) std::abort();
  if (whole.bytes.size() > stream.size() ||
      !std::equal(whole.bytes.begin(), whole.bytes.end(), stream.begin(),
                  [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }))
    std::abort();
  return 0;
}
