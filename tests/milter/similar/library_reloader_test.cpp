#include "milter/similar/library_reloader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>

#include "tests/milter/similar/temporary_library.h"

namespace shingled::milter::similar {
namespace {

using ::shingled::testing::noise;
using ::shingled::testing::TemporaryLibrary;
using ::testing::HasSubstr;

class LibraryReloaderTest : public ::testing::Test {
 protected:
  LibraryReloaderTest() {
    options_.enabled = true;
    options_.file = file_.file();
  }

  Status use() {
    auto opened = reloader_.open(options_);
    if (!opened) return opened.error();
    reloader_.use(*std::move(opened));
    return {};
  }

  TemporaryLibrary file_;
  SimilarOptions options_;
  SystemClock clock_;
  NullLogger logger_;
  LibraryReloader reloader_{clock_, logger_};
};

TEST_F(LibraryReloaderTest, OpensTheLibraryOnlyIfItIsEnabled) {
  options_.enabled = false;
  ASSERT_TRUE(use().has_value());
  EXPECT_EQ(reloader_.library(), nullptr);
  MetricReport report;
  reloader_.report(report);
  EXPECT_TRUE(report.families().empty());
}

TEST_F(LibraryReloaderTest, IsNotInUseBeforeItIsSaid) {
  auto opened = reloader_.open(options_);
  ASSERT_TRUE(opened.has_value());
  EXPECT_NE(opened->library, nullptr);
  EXPECT_EQ(reloader_.library(), nullptr);
  reloader_.use(*std::move(opened));
  EXPECT_NE(reloader_.library(), nullptr);
  EXPECT_EQ(reloader_.open(options_)->library, nullptr) << "it is in use";
}

TEST_F(LibraryReloaderTest, ReadsChangesOfOtherProcesses) {
  ASSERT_TRUE(use().has_value());
  const auto other = file_.open();
  const auto library = reloader_.library();
  std::atomic<bool> stop = false;
  std::jthread searches([&] {
    while (!stop) static_cast<void>(library->similar(fingerprint::Spamsum{}, 1));
  });
  for (unsigned i = 0; i < 20; ++i) {
    TemporaryLibrary::add(*other, "bad", std::to_string(i), noise(10'000, i));
    reloader_.refresh();
  }
  // If the thread of the reloader is just refreshing, this refresh does nothing.
  while (library->counts().samples < 20) reloader_.refresh();
  reloader_.close();
  stop = true;
  searches.join();
  EXPECT_EQ(reloader_.library(), nullptr);
  EXPECT_EQ(library->counts().samples, 20U) << "other owners keep the library";
}

TEST_F(LibraryReloaderTest, NamesTheFileThatCannotBeOpened) {
  std::ofstream(file_.file()) << "this is no database, and longer than its header of 100 bytes, "
                                 "so that nobody takes it for an empty one that may be filled";
  const Status status = use();
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("similar.file " + options_.file));
}

}  // namespace
}  // namespace shingled::milter::similar
