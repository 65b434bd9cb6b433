#include "milter/mta/reply_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace shingled::milter::mta {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{1000};

/// Takes so many bytes at a time; 0 = a signal comes first each time.
class Taker final : public ReplyWriter::Sink {
 public:
  explicit Taker(std::size_t most = ~std::size_t{0}) : most_(most) {}

  ssize_t send(std::string_view bytes, milliseconds /*patience*/) override {
    ++calls;
    if (error != 0 || (most_ == 0 && calls % 2 == 1)) {
      errno = error != 0 ? error : EINTR;
      return -1;
    }
    const std::size_t taken = std::min(std::max<std::size_t>(most_, 1), bytes.size());
    got += bytes.substr(0, taken);
    return static_cast<ssize_t>(taken);
  }

  std::string got;
  int calls = 0;
  int error = 0;

 private:
  std::size_t most_;
};

const std::string kHeader("X-Spam\0yes\0", 11);

TEST(ReplyWriter, SendsTheChangesOfAMessageWithItsEnd) {
  Taker taker;
  ReplyWriter writer;
  EXPECT_TRUE(writer.write(taker, 'h', kHeader, kPatience));
  EXPECT_TRUE(writer.write(taker, 'q', "why", kPatience));
  EXPECT_EQ(taker.calls, 0);
  EXPECT_TRUE(writer.write(taker, 'a', "", kPatience));
  EXPECT_EQ(taker.calls, 1);
  EXPECT_EQ(taker.got, std::string("\0\0\0\14h", 5) + kHeader + std::string("\0\0\0\4qwhy", 8) +
                           std::string("\0\0\0\1a", 5));
}

TEST(ReplyWriter, SendsOtherRepliesAtOnce) {
  for (const char letter : {'c', 'a', 'r', 't', 'd', 'y', 'p', 'O'}) {
    Taker taker;
    ReplyWriter writer;
    EXPECT_TRUE(writer.write(taker, letter, "", kPatience));
    EXPECT_EQ(taker.got, std::string("\0\0\0\1", 4) + letter);
  }
}

TEST(ReplyWriter, SendsTheSameInAnyPieces) {
  Taker whole;
  ReplyWriter writer;
  EXPECT_TRUE(writer.write(whole, 'h', kHeader, kPatience));
  EXPECT_TRUE(writer.write(whole, 'c', "", kPatience));
  for (std::size_t most = 0; most < whole.got.size(); ++most) {
    Taker taker(most);
    EXPECT_TRUE(writer.write(taker, 'h', kHeader, kPatience));
    EXPECT_TRUE(writer.write(taker, 'c', "", kPatience));
    EXPECT_EQ(taker.got, whole.got) << most;
  }
}

TEST(ReplyWriter, KeepsLittle) {
  Taker taker;
  ReplyWriter writer;
  EXPECT_TRUE(writer.write(taker, 'h', std::string(5000, 'x'), kPatience));
  EXPECT_EQ(taker.calls, 1);
  EXPECT_FALSE(writer.holds());
}

TEST(ReplyWriter, SaysThatNothingCanBeSent) {
  Taker taker;
  ReplyWriter writer;
  for (const int error : {EPIPE, EAGAIN}) {
    taker.error = error;
    EXPECT_TRUE(writer.write(taker, 'h', kHeader, kPatience)) << "it is held back";
    EXPECT_FALSE(writer.write(taker, 'a', "", kPatience));
    EXPECT_FALSE(writer.holds());
  }
}

}  // namespace
}  // namespace shingled::milter::mta
