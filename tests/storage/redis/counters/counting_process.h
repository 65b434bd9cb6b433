#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/system/unique_fd.h"
#include "tests/storage/redis/counters/shared_fixture.h"

namespace shingled::storage::redis {

/// What a CountingProcess is to do, at `moved` of its MovedClock.
struct Request {
  enum class Kind : std::uint8_t {
    kTake,     ///< add (what is in `past`, now), then ask for `keys`
    kLearn,    ///< `past`, then ask
    kForget,   ///< `keys`, then ask for them
    kDeliver,  ///< send all that waits, then ask
    kEnd,      ///< and no reply
  };
  Kind kind = Kind::kTake;
  std::chrono::seconds moved{0};
  std::chrono::milliseconds patience{2000};
  std::vector<counters::PastAddition> past;
  std::vector<CounterKey> keys;
};

struct Reply {
  Slot slot = 0;  ///< in which it was added
  bool done = false;
  CounterAnswers answers;  ///< of the keys
};

/// A daemon in a process of its own, so that it can be killed at any moment.
/// Threads: one thread, in a process without others.
class CountingProcess {
 public:
  static constexpr std::size_t kMessageBytesMax = 200'000;

  CountingProcess(const SharedCounterOptions& options, std::vector<Window> windows)
      : options_(options), windows_(std::move(windows)) {
    start();
  }
  ~CountingProcess() { kill9(); }
  CountingProcess(const CountingProcess&) = delete;
  CountingProcess& operator=(const CountingProcess&) = delete;

  void send(const Request& request) const {
    Bytes out;
    out.push_back(static_cast<std::uint8_t>(request.kind));
    append_number(out, static_cast<std::uint64_t>(request.moved.count()));
    append_number(out, static_cast<std::uint64_t>(request.patience.count()));
    append_number(out, static_cast<std::uint32_t>(request.past.size()));
    for (const counters::PastAddition& past : request.past) {
      Bytes addition;
      encode_addition(past.addition, addition);
      append_number(out, past.slot);
      append_number(out, static_cast<std::uint32_t>(addition.size()));
      out.insert(out.end(), addition.begin(), addition.end());
    }
    append_number(out, static_cast<std::uint32_t>(request.keys.size()));
    for (const CounterKey& key : request.keys) {
      append_number(out, key.shingle);
      out.push_back(key.tag());
    }
    EXPECT_EQ(::send(channel_.get(), out.data(), out.size(), MSG_NOSIGNAL), ssize_t(out.size()));
  }
  /// Waits for the reply; nullopt if the process has ended without one.
  [[nodiscard]] std::optional<Reply> receive() const {
    const Bytes message = read_message(channel_.get());
    if (message.empty()) return std::nullopt;
    ByteReader in(message);
    Reply reply;
    reply.slot = in.u32();
    reply.done = in.u8() != 0;
    reply.answers.windows = windows_.size();
    reply.answers.known.resize(in.u32());
    for (auto&& known : reply.answers.known) known = in.u8() != 0;
    reply.answers.sums.resize(reply.answers.known.size() * windows_.size());
    for (Amounts& sum : reply.answers.sums)
      for (std::uint64_t& count : sum.counts) count = in.u64();
    EXPECT_TRUE(in.done());
    return reply;
  }
  /// After it `receive` still has a reply that was sent before.
  void kill9() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  /// Ends it as a daemon ends, which sends what waits if it can.
  void end() {
    send({.kind = Request::Kind::kEnd, .moved = {}, .patience = {}, .past = {}, .keys = {}});
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  /// Again, with the journal that is there.
  void start() {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::close(ends[0]);
      run(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    channel_ = UniqueFd(ends[0]);
  }

 private:
  static Bytes read_message(int channel) {
    Bytes message(kMessageBytesMax);
    const ssize_t count = ::recv(channel, message.data(), message.size(), 0);
    message.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return message;
  }

  // In the child.
  void run(int channel) const {
    MovedClock clock;
    SystemRandom random;
    NullLogger logger;
    auto opened = SharedCounters::open(options_, clock, random, logger);
    std::chrono::seconds at{0};
    while (opened) {
      const Bytes message = read_message(channel);
      ByteReader in(message);
      const auto kind = static_cast<Request::Kind>(in.u8());
      if (message.empty() || kind == Request::Kind::kEnd) return;
      const std::chrono::seconds moved(in.u64());
      clock.move(moved - std::exchange(at, moved));
      const Bytes reply = answer(**opened, clock, kind, in);
      if (::send(channel, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return;
    }
  }
  Bytes answer(SharedCounters& store, const Clock& clock, Request::Kind kind,
               ByteReader& in) const {
    const std::chrono::milliseconds patience(in.u64());
    std::vector<counters::PastAddition> past(in.u32());
    for (counters::PastAddition& each : past) {
      each.slot = in.u32();
      each.addition = counters::decode_addition(in.bytes(in.u32())).value_or(Addition{});
    }
    std::vector<CounterKey> keys(in.u32());
    for (CounterKey& key : keys) {
      const std::uint64_t shingle = in.u64();
      key = CounterKey::of(shingle, in.u8());
    }
    const auto deadline = [&] { return clock.now() + patience; };
    const Slot slot = store.present_slot();
    Status status;
    if (kind == Request::Kind::kTake && !past.empty())
      status = store.add(past.front().addition, deadline());
    if (kind == Request::Kind::kLearn) status = store.learn(past, deadline());
    if (kind == Request::Kind::kForget) status = store.forget(keys, deadline());
    if (kind == Request::Kind::kDeliver) status = store.deliver(deadline());
    const CounterAnswers answers = store.ask(keys, windows_, deadline());
    Bytes out;
    append_number(out, slot);
    out.push_back(status ? 1 : 0);
    append_number(out, static_cast<std::uint32_t>(keys.size()));
    for (const bool known : answers.known) out.push_back(known ? 1 : 0);
    for (const Amounts& sum : answers.sums)
      for (const std::uint64_t count : sum.counts) append_number(out, count);
    return out;
  }

  const SharedCounterOptions options_;
  const std::vector<Window> windows_;
  UniqueFd channel_;
  pid_t child_ = -1;
};

}  // namespace shingled::storage::redis
