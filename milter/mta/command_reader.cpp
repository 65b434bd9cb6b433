#include "milter/mta/command_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "config/options/message_memory.h"

namespace shingled::milter::mta {

namespace {

constexpr std::size_t kBufferBytes = 16UL * 1024;
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kHeadBytes = kLengthBytes + 1;
// MTAs cut a body into pieces of 65535 bytes. A longer command grows as it arrives, so that a
// length alone takes no memory.
constexpr std::size_t kFirstBytes = 64UL * 1024;

std::size_t length_in(const char* bytes) {
  constexpr unsigned kByteBits = 8;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length = length << kByteBits | static_cast<unsigned char>(bytes[i]);
  return length;
}

CommandReader::Block block_of(std::size_t length) {
  return CommandReader::Block(static_cast<char*>(std::malloc(length + 1)));
}

/// The same block with another size; false: it is as it was.
bool resize(CommandReader::Block& block, std::size_t length) {
  void* other = std::realloc(block.get(), length + 1);
  if (other == nullptr) return false;
  static_cast<void>(block.release());
  block.reset(static_cast<char*>(other));
  return true;
}

MemoryBudget::Use use_for(std::size_t length) {
  return length <= kSmallMessageBytes ? MemoryBudget::Use::kSmall : MemoryBudget::Use::kReceive;
}

CommandReader::End end_of(ssize_t received) {
  if (received > 0) return CommandReader::End::kNone;
  if (received == 0) return CommandReader::End::kClosed;
  const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
  return late ? CommandReader::End::kLate : CommandReader::End::kFailed;
}

/// As `receive`, again after a signal.
ssize_t receive(CommandReader::Source& source, std::span<iovec> blocks,
                std::chrono::milliseconds patience) {
  for (;;) {
    const ssize_t received = source.receive(blocks, patience);
    if (received >= 0 || errno != EINTR) return received;
  }
}

}  // namespace

CommandReader::CommandReader(std::size_t data_max, bool ahead, std::shared_ptr<MemoryBudget> budget)
    : data_max_(data_max), ahead_(ahead), lease_(std::move(budget), MemoryBudget::Use::kSmall) {}

void CommandReader::clear() {
  lease_.drop();
  buffer_.reset();
  begin_ = end_ = 0;
  over_ = End::kNone;
}

CommandReader::Command CommandReader::give_up(End end) {
  clear();
  Command none;
  none.end = end;
  return none;
}

CommandReader::End CommandReader::fill(Source& source, std::size_t wanted,
                                       std::chrono::milliseconds patience) {
  if (buffer_ == nullptr) buffer_.reset(new (std::nothrow) char[kBufferBytes]);
  if (buffer_ == nullptr) return End::kNoMemory;
  if (begin_ == end_) begin_ = end_ = 0;
  if (kBufferBytes - begin_ < kHeadBytes) {  // only a part of a head is left
    const std::size_t kept = held();
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
    begin_ = 0;
    end_ = kept;
  }
  iovec block{buffer_.get() + end_, ahead_ ? kBufferBytes - end_ : wanted};
  const ssize_t received = receive(source, {&block, 1}, patience);
  if (received > 0) end_ += static_cast<std::size_t>(received);
  return end_of(received);
}

bool CommandReader::await(Source& source, std::chrono::milliseconds patience) {
  if (pending()) return true;
  const End end = fill(source, kHeadBytes, patience);
  if (end == End::kNone) return true;
  if (end == End::kLate) return false;
  over_ = end;
  return true;
}

CommandReader::Command CommandReader::next(Source& source, std::chrono::milliseconds patience) {
  lease_.drop();
  while (held() < kHeadBytes) {
    const End end = over_ != End::kNone ? over_ : fill(source, kHeadBytes - held(), patience);
    if (end != End::kNone) return give_up(end);
  }
  const char* const head = buffer_.get() + begin_;
  const std::size_t counted = length_in(head);
  if (counted == 0 || counted - 1 > data_max_) return give_up(End::kTooBig);
  Command command;
  command.letter = head[kLengthBytes];
  command.length = counted - 1;
  begin_ += kHeadBytes;
  if (command.length == 0) return command;
  if (command.length > held()) return take_long(std::move(command), source, patience);
  command.data = block_of(command.length);
  if (command.data == nullptr) return give_up(End::kNoMemory);
  std::memcpy(command.data.get(), buffer_.get() + begin_, command.length);
  command.data.get()[command.length] = 0;
  begin_ += command.length;
  return command;
}

/// A command of which the buffer has only the begin. The last bytes of the command and the begin of
/// the next one are read together.
CommandReader::Command CommandReader::take_long(Command command, Source& source,
                                                std::chrono::milliseconds patience) {
  std::size_t capacity = std::min(command.length, kFirstBytes);
  // Also if the budget has none: then the message is deferred with an answer. To end the connection
  // would leave the message to what the mail server does without a filter.
  static_cast<void>(lease_.hold(capacity, use_for(capacity)));
  command.data = block_of(capacity);
  if (command.data == nullptr) return give_up(End::kNoMemory);
  std::size_t filled = held();  // fewer than `capacity`, as the buffer is smaller
  static_assert(kBufferBytes < kFirstBytes);
  std::memcpy(command.data.get(), buffer_.get() + begin_, filled);
  begin_ = end_ = 0;
  while (filled < command.length) {
    if (filled == capacity) {
      capacity = std::min(command.length, 2 * capacity);
      if (!lease_.hold(capacity, use_for(capacity)) || !resize(command.data, capacity))
        return give_up(End::kNoMemory);
    }
    std::array<iovec, 2> blocks{iovec{command.data.get() + filled, capacity - filled},
                                iovec{buffer_.get(), kBufferBytes}};
    const bool last = ahead_ && capacity == command.length;
    const ssize_t received =
        receive(source, std::span(blocks).first(last ? blocks.size() : 1), patience);
    if (const End end = end_of(received); end != End::kNone) return give_up(end);
    const std::size_t here = std::min(static_cast<std::size_t>(received), capacity - filled);
    filled += here;
    end_ = static_cast<std::size_t>(received) - here;
  }
  command.data.get()[command.length] = 0;
  return command;
}

}  // namespace shingled::milter::mta
