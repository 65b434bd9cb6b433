#include "milter/process/restart_needed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::milter::process {
namespace {

TEST(RestartNeeded, NamesWhatIsReadAtTheStartOnly) {
  const Settings running;
  Settings wanted;
  EXPECT_THAT(restart_needed(running, wanted), testing::IsEmpty());
  wanted.milter.timeout += std::chrono::seconds(1);
  wanted.rules.clear();
  wanted.similar.lists.emplace_back();
  wanted.storage.server.encrypted_only = true;
  EXPECT_THAT(restart_needed(running, wanted), testing::IsEmpty()) << "these are taken over";
  wanted.milter.socket.port = 1;
  wanted.storage.engine.hashfile = "/elsewhere";
  wanted.similar.file = "/elsewhere";
  wanted.status.listen.clear();
  EXPECT_THAT(restart_needed(running, wanted),
              testing::ElementsAre("milter.socket", "storage.hashfile", "similar.file", "status"));
}

}  // namespace
}  // namespace shingled::milter::process
