// The memory that the whole daemon needs for mail under way.
#include <gmock/gmock.h>

#include "config/options/message_memory.h"
#include "tests/milter/daemon/daemon_fixture.h"

namespace shingled::milter::daemon {
namespace {

constexpr std::size_t kMebibyte = 1024UL * 1024;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// Bytes of the process in memory.
std::size_t resident(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(DaemonTest, ManyHalfSentMessagesStayWithinTheBudgetAndOrdinaryMailPasses) {
  constexpr std::size_t kMessage = 8 * kMebibyte;
  constexpr int kSenders = 30;
  settings_.milter.memory_max = 200 * kMebibyte;
  ASSERT_TRUE(fits_memory(kMessage, settings_.milter.memory_max));
  start_and_wait();
  EXPECT_EQ(final_answer("before"), "a");
  const std::size_t idle = resident(child_);
  std::vector<std::unique_ptr<MilterClient>> senders;
  std::string text;
  while (text.size() < kMessage) text += long_text() + "\r\n";
  for (int i = 0; i < kSenders; ++i) {
    senders.push_back(std::make_unique<MilterClient>(settings_.milter.socket.path));
    ASSERT_TRUE(senders.back()->begin("L" + std::to_string(i)));
    senders.back()->end_headers();
    senders.back()->body(text);
    EXPECT_EQ(final_answer("S" + std::to_string(i)), "a") << "an ordinary message passes";
  }
  if (!kSanitized) {
    EXPECT_LT(resident(child_), idle + settings_.milter.memory_max + 20 * kMebibyte);
  }
  int deferred = 0;
  for (const auto& sender : senders) {
    const auto packets = sender->end_of_message();
    ASSERT_FALSE(packets.empty());
    const std::string answer = packets.back().command + packets.back().data;
    if (answer != "a") {
      EXPECT_EQ(answer.substr(0, 10), "y451 4.3.1");
      ++deferred;
    }
  }
  EXPECT_GE(deferred, kSenders / 2) << "240 MB of messages do not fit";
  EXPECT_LT(deferred, kSenders) << "the first messages were judged";
  EXPECT_TRUE(logs("reason=\"no memory to receive it (milter.memory_max)\""));
  if (!kSanitized) {
    EXPECT_LT(resident(child_), idle + 40 * kMebibyte) << "the memory is given back";
  }
  EXPECT_EQ(stop(), EX_OK);
}

}  // namespace
}  // namespace shingled::milter::daemon
