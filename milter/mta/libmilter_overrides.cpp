#include "milter/mta/libmilter_overrides.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

namespace shingled::milter::mta {

namespace {

using ReadCommand = char* (*)(int, timeval*, char*, std::size_t*, char*);

std::atomic<bool> g_acknowledge{false};
std::atomic<bool> g_reads{false};
std::atomic<bool> g_told{false};
constexpr const char* kReadCommand = "mi_rd_cmd";

void warn(Logger& logger, const std::string& why) {
  logger.warning(LogLine("milter_unacknowledged")
                     .field("why", why)
                     .field("effect", "each message over TCP may take 40 ms longer"));
}

/// The original of libmilter. It exists, because only libmilter calls our version.
ReadCommand read_command() {
  static const auto function = reinterpret_cast<ReadCommand>(::dlsym(RTLD_NEXT, kReadCommand));
  return function;
}

}  // namespace

void acknowledge_commands(bool at_once) { g_acknowledge.store(at_once); }

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
                                                       char* command, std::size_t* length,
                                                       char* name) {
  shingled::milter::mta::g_reads.store(true, std::memory_order_relaxed);
  char* const data =
      shingled::milter::mta::read_command()(descriptor, timeout, command, length, name);
  if (shingled::milter::mta::g_acknowledge.load(std::memory_order_relaxed)) {
    const int one = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
  }
  return data;
}
}

namespace shingled::milter::mta {

std::string why_not_acknowledging() {
  return why_not_acknowledging(::dlsym(RTLD_NEXT, kReadCommand),
                               ::dlsym(RTLD_DEFAULT, kReadCommand),
                               reinterpret_cast<const void*>(&mi_rd_cmd));
}

}  // namespace shingled::milter::mta
