#include "milter/mta/libmilter_overrides.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/base/guarded.h"
#include "milter/mta/command_reader.h"
#include "milter/mta/reply_writer.h"

namespace shingled::milter::mta {

namespace {

using Wait = std::chrono::milliseconds;

/// How long a thread waits for the next command before it gives its connection back to libmilter.
/// An MTA sends the next one after a round trip to its client.
constexpr Wait kLinger{10};

// What libmilter's engine takes instead of a letter for the end of a connection (libmilter.h).
constexpr char kTimedOut = 1;
constexpr char kNoMemory = 3;
constexpr char kFailed = 4;
constexpr char kClosed = 5;
constexpr char kTooBig = 7;
constexpr char kQuitOneClient = 'K';  ///< the MTA has another client for it
constexpr int kSent = 0;
constexpr int kNotSent = -1;

/// Lives as long as the process, like the threads of libmilter.
Guarded<WireOptions>& wire_options() {
  static auto* const options = new Guarded<WireOptions>;
  return *options;
}
std::atomic<bool> g_reads{false};
std::atomic<bool> g_told{false};
constexpr const char* kReadCommand = "mi_rd_cmd";
constexpr const char* kPoll = "poll";

/// Whether libmilter asks our poll, so that commands may be read ahead.
bool answers_poll();

void warn(Logger& logger, const std::string& why) {
  logger.warning(LogLine("milter_unacknowledged")
                     .field("why", why)
                     .field("effect", "each message over TCP may take 40 ms longer"));
}

using Poll = int (*)(pollfd*, nfds_t, int);

int system_poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  static const auto function = reinterpret_cast<Poll>(::dlsym(RTLD_NEXT, kPoll));
  return function(descriptors, count, milliseconds);
}

/// Waits until the descriptor is ready for `events`; false: errno says why not.
bool wait_for(int descriptor, short events, Wait patience) {
  pollfd ready{descriptor, events, 0};
  const int count = system_poll(&ready, 1, static_cast<int>(patience.count()));
  if (count == 0) errno = EAGAIN;
  return count > 0;
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

/// The connection of libmilter that a thread has.
class Wire final : public CommandReader::Source, public ReplyWriter::Sink {
 public:
  Wire(int descriptor, WireOptions options, bool ahead)
      : descriptor_(descriptor),
        acknowledge_(options.acknowledge),
        reader_(options.command_max, ahead, std::move(options.memory)) {}

  [[nodiscard]] int descriptor() const { return descriptor_; }

  CommandReader::Command read(Wait patience) { return reader_.next(*this, patience); }
  bool has_next() { return reader_.await(*this, kLinger); }
  bool write(char letter, std::string_view data, Wait patience) {
    return writer_.write(*this, letter, data, patience);
  }

  ssize_t receive(std::span<iovec> blocks, Wait patience) override {
    if (!answered_) {
      const ssize_t received = receive_now(blocks);
      if (received >= 0 || !would_block()) return received;
      if (acknowledge_) {
        const int one = 1;
        ::setsockopt(descriptor_, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
      }
    }
    if (!wait_for(descriptor_, POLLIN, patience)) return -1;
    answered_ = false;
    return receive_now(blocks);
  }

  ssize_t send(std::string_view bytes, Wait patience) override {
    answered_ = true;  // and so acknowledged
    for (;;) {
      const ssize_t sent =
          ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent >= 0 || !would_block()) return sent;
      if (!wait_for(descriptor_, POLLOUT, patience)) return -1;
    }
  }

 private:
  [[nodiscard]] ssize_t receive_now(std::span<iovec> blocks) const {
    msghdr message{};
    message.msg_iov = blocks.data();
    message.msg_iovlen = blocks.size();
    return ::recvmsg(descriptor_, &message, MSG_DONTWAIT);
  }

  const int descriptor_;
  const bool acknowledge_;
  bool answered_ = false;  ///< something was sent since the last that was received
  CommandReader reader_;
  ReplyWriter writer_;
};

thread_local std::unique_ptr<Wire> t_wire;
/// The MTA will use the connection for another client of its own (kQuitOneClient).
thread_local bool t_another_client = false;

/// What a thread still has to do when its answer is sent.
class Afterwards {
 public:
  Afterwards() = default;
  ~Afterwards() { run(); }
  Afterwards(const Afterwards&) = delete;
  Afterwards& operator=(const Afterwards&) = delete;

  void set(std::function<void()> work) {
    run();
    work_ = std::move(work);
  }
  void run() noexcept {
    if (!work_) return;
    try {
      std::exchange(work_, nullptr)();
    } catch (...) {  // memory; the answer is out
    }
  }

 private:
  std::function<void()> work_;
};
thread_local Afterwards t_afterwards;

Wire* wire_of(int descriptor) {
  return t_wire != nullptr && t_wire->descriptor() == descriptor ? t_wire.get() : nullptr;
}

char letter_of(CommandReader::End end) {
  switch (end) {
    case CommandReader::End::kLate:
      return kTimedOut;
    case CommandReader::End::kNoMemory:
      return kNoMemory;
    case CommandReader::End::kClosed:
      return kClosed;
    case CommandReader::End::kTooBig:
      return kTooBig;
    case CommandReader::End::kNone:
    case CommandReader::End::kFailed:
      break;
  }
  return kFailed;
}

Wait patience_of(const timeval& time) {
  return std::chrono::duration_cast<Wait>(std::chrono::seconds(time.tv_sec) +
                                          std::chrono::microseconds(time.tv_usec));
}

Wire& take_up(int descriptor) {
  if (Wire* wire = wire_of(descriptor)) return *wire;
  t_wire = std::make_unique<Wire>(descriptor, *wire_options().lock(), answers_poll());
  return *t_wire;
}

CommandReader::Command read_command(int descriptor, Wait patience) noexcept {
  try {
    return take_up(descriptor).read(patience);
  } catch (...) {
    CommandReader::Command none;
    none.end = CommandReader::End::kNoMemory;
    return none;
  }
}

/// As mi_rd_cmd.
char* give_command(int descriptor, const timeval& timeout, char& letter, std::size_t& length) {
  t_afterwards.run();
  g_reads.store(true, std::memory_order_relaxed);
  CommandReader::Command command = read_command(descriptor, patience_of(timeout));
  const bool ended = command.end != CommandReader::End::kNone;
  letter = ended ? letter_of(command.end) : command.letter;
  length = command.length;
  t_another_client = letter == kQuitOneClient;
  if (ended) t_wire.reset();
  return command.data.release();
}

/// As mi_wr_cmd.
int take_reply(int descriptor, const timeval& timeout, char letter,
               std::string_view data) noexcept {
  try {
    const bool sent = take_up(descriptor).write(letter, data, patience_of(timeout));
    return sent ? kSent : kNotSent;
  } catch (...) {
    return kNotSent;
  }
}

/// As poll(2). The question whether this thread's connection has something is answered from what
/// was read.
int poll_or_look(pollfd* descriptors, nfds_t count, int milliseconds) {
  t_afterwards.run();
  const bool reads = count == 1 && (descriptors->events & POLLIN) != 0;
  Wire* const wire = reads ? wire_of(descriptors->fd) : nullptr;
  if (wire == nullptr) return system_poll(descriptors, count, milliseconds);
  const bool has_next = wire->has_next();
  descriptors->revents = has_next ? POLLIN : 0;
  if (!has_next) t_wire.reset();
  return has_next ? 1 : 0;
}

}  // namespace

void set_wire(WireOptions options) { *wire_options().lock() = std::move(options); }

void leave_connection() noexcept {
  t_afterwards.run();
  if (!t_another_client) t_wire.reset();
}

void after_answer(std::function<void()> work) {
  if (t_wire == nullptr || !answers_poll()) return work();
  t_afterwards.set(std::move(work));
}

std::string why_not_acknowledging(const void* original, const void* found, const void* ours) {
  if (original == nullptr) return "libmilter has no function mi_rd_cmd";
  if (found != ours) return "the program does not show its mi_rd_cmd to libmilter";
  return "";
}

void warn_if_not_acknowledging(Logger& logger) {
  if (const std::string why = why_not_acknowledging(); !why.empty()) warn(logger, why);
}

void warn_if_not_read(Logger& logger) noexcept {
  if (g_reads.load(std::memory_order_relaxed) || g_told.exchange(true)) return;
  try {
    warn(logger, "libmilter does not call our mi_rd_cmd");
  } catch (...) {  // no memory for a line of the log
  }
}

void send_without_delay() {
  std::error_code ignored;  // libmilter does not tell its descriptor: try all of this process
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string name = entry.path().filename();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    int listening = 0;
    socklen_t length = sizeof listening;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0) continue;
    const int one = 1;
    if (listening != 0) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
}

}  // namespace shingled::milter::mta

extern "C" {

__attribute__((visibility("default"))) int sigwait(const sigset_t* /*signals*/, int* /*number*/) {
  for (;;) ::pause();
}

/// Parameters: the descriptor of the MTA, how long to wait, letter and length of the command, name
/// of the filter. Returns the data of the command.
__attribute__((visibility("default"))) char* mi_rd_cmd(int descriptor, timeval* timeout,
                                                       char* letter, std::size_t* length,
                                                       char* /*name*/) {
  return shingled::milter::mta::give_command(descriptor, *timeout, *letter, *length);
}

/// Parameters: the descriptor of the MTA, how long to wait, letter, data and length of the reply.
__attribute__((visibility("default"))) int mi_wr_cmd(int descriptor, timeval* timeout, int letter,
                                                     char* data, std::size_t length) {
  if (length > 0 && data == nullptr) return shingled::milter::mta::kNotSent;
  return shingled::milter::mta::take_reply(descriptor, *timeout, static_cast<char>(letter),
                                           {data, length});
}

/// poll(2) by another name: the declaration of the system says that it does not read what is asked.
__attribute__((visibility("default"))) int poll_of_program(pollfd* descriptors, nfds_t count,
                                                           int milliseconds) __asm__("poll");
int poll_of_program(pollfd* descriptors, nfds_t count, int milliseconds) {
  return shingled::milter::mta::poll_or_look(descriptors, count, milliseconds);
}
}

namespace shingled::milter::mta {

namespace {
bool answers_poll() {
  static const bool ours =
      ::dlsym(RTLD_DEFAULT, kPoll) == reinterpret_cast<const void*>(&poll_of_program);
  return ours;
}
}  // namespace

std::string why_not_acknowledging() {
  return why_not_acknowledging(::dlsym(RTLD_NEXT, kReadCommand),
                               ::dlsym(RTLD_DEFAULT, kReadCommand),
                               reinterpret_cast<const void*>(&mi_rd_cmd));
}

}  // namespace shingled::milter::mta
