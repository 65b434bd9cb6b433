// Covers milter/mta/milter_service.h.
// Something throws while a connection is closed: no exception may leave a callback of libmilter.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <libmilter/mfapi.h>

#include <new>

#include "tests/milter/daemon/daemon_fixture.h"

namespace {

bool g_closing_throws = false;  // set before the daemon is forked

}  // namespace

/// The daemon takes its object away from libmilter when a connection is closed.
extern "C" int smfi_setpriv(SMFICTX* context, void* data) {
  if (data == nullptr && g_closing_throws) throw std::bad_alloc();
  static const auto real =
      reinterpret_cast<decltype(&smfi_setpriv)>(::dlsym(RTLD_NEXT, "smfi_setpriv"));
  return real(context, data);
}

namespace shingled::milter::daemon {
namespace {

TEST_F(DaemonTest, SurvivesAnExceptionAtTheEndOfAConnection) {
  g_closing_throws = true;
  start_and_wait();
  {
    MilterClient client(settings_.milter.socket.path);
    ASSERT_TRUE(client.begin("cut"));  // and closes in the middle of the message
  }
  EXPECT_EQ(final_answer("Q1"), "a");
  EXPECT_EQ(final_answer("Q2"), "a");
  EXPECT_EQ(stop(), EX_OK);
  EXPECT_THAT(log(), ::testing::Not(::testing::HasSubstr("drain_incomplete")))
      << "the message that was cut does not count as one under way";
  g_closing_throws = false;
}

}  // namespace
}  // namespace shingled::milter::daemon
