// The commands of a stream are the same wherever it is cut, and a peer that dies or waits anywhere
// costs nothing that is kept.
#include "milter/mta/command_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace shingled::milter::mta {
namespace {

using End = CommandReader::End;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{1000};
constexpr std::size_t kDataMax = 1024UL * 1024;
constexpr std::uint64_t kBudget = 4 * kDataMax;

struct Told {
  char letter;
  std::string data;
  friend bool operator==(const Told&, const Told&) = default;
};

std::string coded(const Told& command) {
  const auto length = static_cast<std::uint32_t>(command.data.size() + 1);
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    bytes.push_back(static_cast<char>(length >> shift));
  return bytes + command.letter + command.data;
}

/// What an MTA sends for three messages on one connection, the last with a body of several pieces.
std::vector<Told> recorded() {
  std::vector<Told> commands{{'O', std::string("\0\0\0\6\0\0\1\xff\0\x1f\xff\xff", 12)},
                             {'D', std::string("Cj\0mx.example.org\0", 18)},
                             {'C', std::string("a.example\0"
                                               "4\x09\xdd"
                                               "192.0.2.1\0",
                                               23)},
                             {'H', std::string("a.example\0", 10)}};
  for (const std::size_t body : {0UL, 300UL, 70000UL}) {
    commands.push_back({'D', std::string("Mi\0Q1\0", 6)});
    commands.push_back({'M', std::string("<s@example.net>\0", 16)});
    commands.push_back({'R', std::string("<r@example.org>\0", 16)});
    commands.push_back({'L', std::string("Subject\0 hello\0", 15)});
    commands.push_back({'L', std::string("To\0 r@example.org\0", 18)});
    commands.push_back({'N', ""});
    for (std::size_t rest = body; rest > 0; rest -= std::min<std::size_t>(rest, 65535))
      commands.push_back({'B', std::string(std::min<std::size_t>(rest, 65535), 'b')});
    commands.push_back({'E', ""});
  }
  commands.push_back({'A', ""});
  commands.push_back({'Q', ""});
  return commands;
}

std::string stream_of(const std::vector<Told>& commands) {
  std::string stream;
  for (const Told& command : commands) stream += coded(command);
  return stream;
}

/// Gives a stream in pieces that `cut` chooses; then it is over as `last` says.
class Script final : public CommandReader::Source {
 public:
  using Cut = std::function<std::size_t(std::size_t at)>;  ///< at most so many; 0 = a signal comes

  Script(std::string stream, Cut cut, int last = 0)
      : stream_(std::move(stream)), cut_(std::move(cut)), last_(last) {}

  ssize_t receive(std::span<iovec> blocks, milliseconds /*patience*/) override {
    ++calls;
    if (at_ == stream_.size()) return fail_with(last_);
    std::size_t most = std::min(cut_(at_), stream_.size() - at_);
    if (most == 0) return fail_with(EINTR);
    const std::size_t begun = at_;
    for (const iovec& block : blocks) {
      const std::size_t here = std::min(most, block.iov_len);
      std::memcpy(block.iov_base, stream_.data() + at_, here);
      at_ += here;
      most -= here;
    }
    return static_cast<ssize_t>(at_ - begun);
  }

  [[nodiscard]] std::size_t taken() const { return at_; }
  std::size_t calls = 0;

 private:
  static ssize_t fail_with(int error) {
    errno = error;
    return error == 0 ? 0 : -1;
  }

  std::string stream_;
  Cut cut_;
  int last_;
  std::size_t at_ = 0;
};

std::size_t all(std::size_t /*at*/) { return ~std::size_t{0}; }

Script::Cut cut_at(std::size_t position) {
  return [position](std::size_t at) { return at < position ? position - at : all(at); };
}

struct Read {
  std::vector<Told> commands;
  End end = End::kNone;
};

Read read_all(Script& script, CommandReader& reader) {
  Read read;
  for (;;) {
    CommandReader::Command command = reader.next(script, kPatience);
    read.end = command.end;
    if (command.end != End::kNone) return read;
    if (command.data != nullptr) {
      EXPECT_EQ(command.data.get()[command.length], 0) << "libmilter reads C strings";
    }
    read.commands.push_back(
        {command.letter,
         command.data == nullptr ? "" : std::string(command.data.get(), command.length)});
  }
}

std::size_t whole_commands(const std::vector<Told>& commands, std::size_t bytes) {
  std::size_t count = 0;
  for (const Told& command : commands) {
    if (coded(command).size() > bytes) break;
    bytes -= coded(command).size();
    ++count;
  }
  return count;
}

struct Fixture {
  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>(kBudget);
  CommandReader reader{kDataMax, true, budget};
};

/// Every position in the first part, where all kinds of commands are, and some of the long body.
std::vector<std::size_t> positions(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = 0; at <= size; at += at < 1200 || at + 200 > size ? 1 : 997)
    cuts.push_back(at);
  return cuts;
}

TEST(CommandReader, TellsTheSameWhereverTheStreamIsCut) {
  const std::vector<Told> commands = recorded();
  const std::string stream = stream_of(commands);
  for (const std::size_t position : positions(stream.size())) {
    Fixture f;
    Script script(stream, cut_at(position));
    const Read read = read_all(script, f.reader);
    ASSERT_EQ(read.commands, commands) << position;
    EXPECT_EQ(read.end, End::kClosed) << position;
    EXPECT_EQ(f.budget->used(), 0U) << position;
  }
}

TEST(CommandReader, TellsTheSameInAnyPiecesAndWithSignals) {
  const std::vector<Told> commands = recorded();
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::size_t most = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 100 : 40000;
    std::uniform_int_distribution<std::size_t> size(0, most);
    Fixture f;
    Script script(stream_of(commands), [&](std::size_t) { return size(random); });
    ASSERT_EQ(read_all(script, f.reader).commands, commands) << seed;
  }
}

TEST(CommandReader, ReadsManyCommandsWithOneCall) {
  std::vector<Told> commands;
  for (int i = 0; i < 100; ++i) commands.push_back({'L', std::string("X-Name\0 value\0", 14)});
  Fixture f;
  Script script(stream_of(commands), all);
  EXPECT_EQ(read_all(script, f.reader).commands, commands);
  EXPECT_EQ(script.calls, 2U) << "one, and one for the end";
}

TEST(CommandReader, ReadsALongBodyWithoutACopy) {
  const std::vector<Told> commands{{'B', std::string(65535, 'b')}, {'E', ""}};
  Fixture f;
  Script script(stream_of(commands), all);
  EXPECT_EQ(read_all(script, f.reader).commands, commands);
  EXPECT_EQ(script.calls, 3U) << "its begin, its rest with the next command, and the end";
}

TEST(CommandReader, APeerThatDiesAnywhereLeavesNothing) {
  const std::vector<Told> commands = recorded();
  const std::string stream = stream_of(commands);
  for (const int how : {0, ECONNRESET}) {
    for (const std::size_t position : positions(stream.size())) {
      Fixture f;
      Script script(stream.substr(0, position), all, how);
      const Read read = read_all(script, f.reader);
      EXPECT_EQ(read.end, how == 0 ? End::kClosed : End::kFailed) << position;
      ASSERT_EQ(read.commands.size(), whole_commands(commands, position)) << position;
      EXPECT_EQ(f.budget->used(), 0U) << position;
      EXPECT_FALSE(f.reader.pending()) << position;
    }
  }
}

TEST(CommandReader, APeerThatWaitsIsGivenUpAfterPatience) {
  const std::string stream = stream_of(recorded());
  for (const std::size_t position : positions(stream.size())) {
    Fixture f;
    Script script(stream.substr(0, position), all, EAGAIN);
    EXPECT_EQ(read_all(script, f.reader).end, End::kLate) << position;
    EXPECT_EQ(f.budget->used(), 0U) << position;
  }
}

TEST(CommandReader, SaysWhetherThereIsMore) {
  Fixture f;
  Script script(coded({'A', ""}) + coded({'Q', ""}), all, EAGAIN);
  EXPECT_FALSE(f.reader.pending());
  EXPECT_TRUE(f.reader.await(script, kPatience));
  EXPECT_EQ(f.reader.next(script, kPatience).letter, 'A');
  EXPECT_TRUE(f.reader.await(script, kPatience)) << "it is in the buffer";
  EXPECT_EQ(script.calls, 1U);
  EXPECT_EQ(f.reader.next(script, kPatience).letter, 'Q');
  EXPECT_FALSE(f.reader.await(script, kPatience));
}

TEST(CommandReader, TellsAnEndThatItWaitedFor) {
  for (const int how : {0, ECONNRESET}) {
    Fixture f;
    Script script("", all, how);
    EXPECT_TRUE(f.reader.await(script, kPatience));
    EXPECT_EQ(f.reader.next(script, kPatience).end, how == 0 ? End::kClosed : End::kFailed);
  }
}

TEST(CommandReader, RefusesImpossibleLengths) {
  constexpr struct {
    const char* why;
    std::string_view head;
    bool fits;
  } kCases[] = {
      {"nothing, not even a letter", {"\0\0\0\0L", 5}, false},
      {"one above the limit", {"\0\x10\0\2L", 5}, false},
      {"the most that can be said", {"\xff\xff\xff\xffL", 5}, false},
      {"a negative number", {"\x80\0\0\0L", 5}, false},
      {"the limit", {"\0\x10\0\1L", 5}, true},
  };
  for (const auto& c : kCases) {
    Fixture f;
    Script script(std::string(c.head) + std::string(kDataMax, 'x'), all);
    const CommandReader::Command command = f.reader.next(script, kPatience);
    EXPECT_EQ(command.end, c.fits ? End::kNone : End::kTooBig) << c.why;
    EXPECT_EQ(command.length, c.fits ? kDataMax : 0) << c.why;
  }
}

TEST(CommandReader, ALengthAloneTakesLittleMemory) {
  constexpr std::uint64_t kFirst = 64UL * 1024;
  const auto budget = std::make_shared<MemoryBudget>(kFirst);
  CommandReader reader(kDataMax, true, budget);
  std::uint64_t most = 0;
  std::string stream = coded({'B', std::string(kDataMax, 'x')}).substr(0, kFirst);
  Script script(std::move(stream), [&](std::size_t) {
    most = std::max(most, budget->used());
    return 1000U;
  });
  EXPECT_EQ(reader.next(script, kPatience).end, End::kClosed);
  EXPECT_EQ(most, kFirst);
  EXPECT_EQ(budget->used(), 0U);
}

TEST(CommandReader, ALongCommandNeedsMemoryOfTheBudget) {
  const auto budget = std::make_shared<MemoryBudget>(kDataMax);
  CommandReader reader(kDataMax, true, budget);
  Script script(coded({'B', std::string(kDataMax, 'x')}) + coded({'E', ""}), all);
  EXPECT_EQ(reader.next(script, kPatience).end, End::kNoMemory) << "half is for analyses";
  EXPECT_EQ(budget->used(), 0U);
}

TEST(CommandReader, WhatMailServersSendIsReadAlsoWithoutRoom) {
  const auto budget = std::make_shared<MemoryBudget>(0);
  CommandReader reader(kDataMax, true, budget);
  Script script(coded({'B', std::string(65535, 'x')}) + coded({'E', ""}), all);
  EXPECT_EQ(reader.next(script, kPatience).length, 65535U) << "the session defers the message";
  EXPECT_EQ(reader.next(script, kPatience).letter, 'E');
  EXPECT_EQ(budget->used(), 0U);
}

TEST(CommandReader, KeepsTheMemoryOfACommandUntilTheNext) {
  Fixture f;
  Script script(coded({'B', std::string(65535, 'x')}) + coded({'E', ""}), all);
  const CommandReader::Command body = f.reader.next(script, kPatience);
  EXPECT_EQ(f.budget->used(), 65535U);
  EXPECT_EQ(f.reader.next(script, kPatience).letter, 'E');
  EXPECT_EQ(f.budget->used(), 0U);
}

TEST(CommandReader, ReadsNothingAheadIfItMayNot) {
  const std::vector<Told> commands = recorded();
  CommandReader reader(kDataMax, /*ahead=*/false, nullptr);
  Script script(stream_of(commands), all);
  std::size_t told = 0;
  for (const Told& command : commands) {
    EXPECT_EQ(reader.next(script, kPatience).letter, command.letter);
    told += coded(command).size();
    ASSERT_EQ(script.taken(), told);
  }
}

}  // namespace
}  // namespace shingled::milter::mta
