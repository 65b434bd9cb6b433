#include "milter/counters/counter_reloader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/milter/counters/country_writer.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::counters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ErrorLogger final : public Logger {
 public:
  void write(LogLevel level, std::string_view line) override {
    if (level == LogLevel::kError) errors.emplace_back(line);
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> errors;
};

class CounterReloaderTest : public ::testing::Test {
 protected:
  CounterReloaderTest() { options_.embedded.directory = folder_.file("counters"); }

  shingled::testing::TemporaryDirectory folder_;
  shingled::testing::ManualClock clock_;
  shingled::testing::SeededRandom random_{1};
  ErrorLogger logger_;
  CounterOptions options_;
  CounterReloader reloader_{clock_, random_, logger_};
};

TEST_F(CounterReloaderTest, MakesItsFolderAndItsKey) {
  reloader_.use(options_, {});
  EXPECT_THAT(logger_.errors, IsEmpty());
  ASSERT_NE(reloader_.current().get(), nullptr);
  EXPECT_NE(reloader_.store(), nullptr);
  ASSERT_TRUE(reloader_.site());
  struct stat info {};
  ASSERT_EQ(::stat(options_.key_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(CounterReloaderTest, GoesOnWithoutCountriesIfTheirFileIsBroken) {
  options_.geoip = folder_.file("countries.mmdb");
  std::ofstream(options_.geoip) << "no database";
  reloader_.use(options_, {});
  EXPECT_THAT(logger_.errors, ElementsAre(HasSubstr("counter_countries_off")));
  const auto counter = reloader_.current().get();
  ASSERT_NE(counter, nullptr);
  EXPECT_EQ(counter->country_of(IpAddress::parse("192.0.2.1")), "");
}

// The weekly update replaces the file while a reload reads it.
TEST_F(CounterReloaderTest, KeepsTheCountriesIfTheirNewFileIsBroken) {
  options_.geoip = folder_.file("countries.mmdb");
  shingled::testing::CountryWriter writer;
  writer.add("192.0.2.0/24", "DE");
  const std::string bytes = writer.bytes();
  std::ofstream(options_.geoip, std::ios::binary) << bytes;
  reloader_.use(options_, {});
  std::ofstream(options_.geoip, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  reloader_.use(options_, {});
  EXPECT_THAT(logger_.errors, ElementsAre(HasSubstr("goes on with the file before")));
  const auto country = [&] {
    return reloader_.current().get()->country_of(IpAddress::parse("192.0.2.1"));
  };
  EXPECT_EQ(country(), "DE");
  options_.geoip.clear();
  reloader_.use(options_, {});
  EXPECT_EQ(country(), "");
}

TEST_F(CounterReloaderTest, CostsNothingIfItIsOff) {
  options_.enabled = false;
  reloader_.use(options_, {});
  EXPECT_EQ(reloader_.current().get(), nullptr);
  EXPECT_EQ(reloader_.store(), nullptr);
  EXPECT_FALSE(std::filesystem::exists(options_.embedded.directory));
  EXPECT_THAT(logger_.errors, IsEmpty());
}

TEST_F(CounterReloaderTest, TakesNewOptionsWithTheSameStore) {
  reloader_.use(options_, {});
  const auto store = reloader_.store();
  options_.pieces.links_max = 3;
  options_.ham_below = 0.5;
  reloader_.use(options_, {});
  EXPECT_EQ(reloader_.store(), store);
  EXPECT_EQ(reloader_.current().get()->options().pieces.links_max, 3U);
  EXPECT_EQ(reloader_.current().get()->thresholds().ham_below, 0.5);
  options_.enabled = false;
  reloader_.use(options_, {});
  EXPECT_EQ(reloader_.current().get(), nullptr);
}

TEST_F(CounterReloaderTest, SaysOnceThatItCannotOpenAndTriesAgainAtAReload) {
  std::ofstream(folder_.file("counters")) << "a file";
  reloader_.use(options_, {});
  EXPECT_THAT(logger_.errors, ElementsAre(HasSubstr("counters_off")));
  EXPECT_EQ(reloader_.current().get(), nullptr);
  EXPECT_FALSE(reloader_.site());
  std::filesystem::remove(folder_.file("counters"));
  reloader_.use(options_, {});
  EXPECT_NE(reloader_.current().get(), nullptr);
}

TEST_F(CounterReloaderTest, RefusesAKeyThatOthersMayRead) {
  std::filesystem::create_directory(options_.embedded.directory);
  std::ofstream(options_.key_path()) << std::string(32, 'a') << '\n';
  ASSERT_EQ(::chmod(options_.key_path().c_str(), 0644), 0);
  reloader_.use(options_, {});
  EXPECT_THAT(logger_.errors, ElementsAre(HasSubstr("key")));
  EXPECT_EQ(reloader_.store(), nullptr);
}

// Mail goes on without counters; mixed with those of another key they would be worth nothing.
TEST_F(CounterReloaderTest, IsOffWithAnotherKeyUntilTheRightOneIsBack) {
  reloader_.use(options_, {});
  reloader_.close();
  const std::string kept = folder_.file("kept");
  std::filesystem::copy(options_.key_path(), kept);
  std::ofstream(options_.key_path()) << std::string(32, 'a') << '\n';
  reloader_.use(options_, {});
  EXPECT_THAT(logger_.errors, ElementsAre(HasSubstr("counted with another key")));
  EXPECT_THAT(reloader_.why_off(), HasSubstr("counted with another key"));
  EXPECT_EQ(reloader_.current().get(), nullptr);
  std::filesystem::remove(options_.key_path());
  reloader_.use(options_, {});
  EXPECT_THAT(reloader_.why_off(), HasSubstr("the key is gone"));
  EXPECT_FALSE(std::filesystem::exists(options_.key_path()));
  std::filesystem::copy(kept, options_.key_path());
  reloader_.use(options_, {});
  EXPECT_NE(reloader_.current().get(), nullptr);
  EXPECT_EQ(reloader_.why_off(), "");
}

TEST_F(CounterReloaderTest, ReleasesTheStoreWhenItCloses) {
  reloader_.use(options_, {});
  const auto counter = reloader_.current().get();
  reloader_.close();
  EXPECT_EQ(reloader_.store(), nullptr);
  EXPECT_FALSE(counter->add(std::vector<mime::Piece>{{PieceType::kSender, "a@x", ""}},
                            storage::counters::Direction::kIn, {}));
}

}  // namespace
}  // namespace shingled::milter::counters
