#include "milter/desk/servers/storage_choice.h"

#include <gmock/gmock.h>
#include <sysexits.h>

#include <sstream>

#include "milter/cli/cli.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::desk {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  terminal::Console console(out, err);
  const int code = cli::run_cli(arguments, console);
  return {code, out.str(), err.str()};
}

TEST(DatabaseFile, IsTheEmbeddedBackendsAlone) {
  StorageOptions options;
  options.engine.hashfile = "/srv/fuzzy.db";
  EXPECT_EQ(database_file(options, "").value(), "/srv/fuzzy.db");
  options.backend = Backend::kRedis;
  EXPECT_THAT(database_file(options, "shingled export").error().message,
              HasSubstr("use shingled export"));
  options.backend = Backend::kNoop;
  EXPECT_THAT(database_file(options, "").error().message, HasSubstr("no hashes are kept"));
}

// A file from the days of another backend: every command would tell what is not so any more.
TEST(DatabaseFile, IsNotReadWithAnotherBackend) {
  shingled::testing::TemporaryDirectory directory;
  const std::string path = directory.file("fuzzy.db");
  ASSERT_TRUE(storage::sqlite::FuzzyTable::open(path, Durability::kNormal));
  const std::string copy = directory.file("copy");
  const struct {
    const char* backend;
    std::vector<std::string> command;
    const char* instead;
  } cases[] = {
      {"redis", {"list"}, "shingled export"},
      {"redis", {"verify"}, "shingled verify FILE"},
      {"redis", {"explain", "0123456789abcdef"}, "shingled check"},
      {"redis", {"del", "--list", "denied"}, "del --digest"},
      {"redis", {"del", "--list", "denied", "--dry-run"}, "del --digest"},
      {"noop", {"list"}, "no hashes are kept"},
      {"noop", {"verify"}, "no hashes are kept"},
      {"noop", {"explain", "0123456789abcdef"}, "no hashes are kept"},
      {"noop", {"del", "--list", "denied"}, "no hashes are kept"},
      {"noop", {"export", copy}, "no hashes are kept"},
      {"noop", {"import", "/nonexistent"}, "no hashes are kept"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> arguments = c.command;
    for (const std::string& setting :
         {"storage.hashfile=" + path, "storage.backend=" + std::string(c.backend)}) {
      arguments.insert(arguments.end(), {"-o", setting});
    }
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, EX_USAGE) << c.command.front() << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.instead)) << c.command.front();
    EXPECT_EQ(outcome.out, "") << c.command.front();
  }
  EXPECT_EQ(run({"verify", path, "-o", "storage.backend=redis"}).code, EX_OK);
  // A backup has more than hashes, and says that they are not in it.
  const Outcome backed_up =
      run({"backup", copy, "-o", "storage.hashfile=" + path, "-o", "storage.backend=redis"});
  EXPECT_EQ(backed_up.code, EX_OK) << backed_up.err;
  EXPECT_THAT(backed_up.out, HasSubstr("not taken: hashes: in Redis at "));
  EXPECT_THAT(backed_up.out, HasSubstr("shingled export"));
}

// A clock that has stepped back leaves rows whose times are odd: each of them is a hash.
TEST(DatabaseFile, OddTimesAreToldAndStopNothing) {
  shingled::testing::TemporaryDirectory directory;
  const std::string path = directory.file("fuzzy.db");
  {
    const auto table = storage::sqlite::FuzzyTable::open(path, Durability::kNormal).value();
    storage::sqlite::FuzzyRow row;
    row.flags.add({1, 1});
    row.created = 1'700'000'100;
    row.updated = 1'700'000'000;
    ASSERT_TRUE(table->insert(row));
  }
  const std::string from = "storage.hashfile=" + path;
  const std::string into = "storage.hashfile=" + directory.file("other.db");
  const std::string copy = directory.file("copies");
  const std::string lines = directory.file("lines");
  const Outcome verified = run({"verify", "-o", from});
  EXPECT_EQ(verified.code, EX_OK);
  EXPECT_THAT(verified.out, HasSubstr("warning: digests row 1: created is after time\n"));
  EXPECT_THAT(verified.out, HasSubstr("no problem found, 1 warning\n"));
  const Outcome backed_up = run({"backup", copy, "-o", from});
  EXPECT_EQ(backed_up.code, EX_OK) << backed_up.err;
  EXPECT_THAT(backed_up.err, HasSubstr("1 warning; see shingled verify"));
  EXPECT_EQ(run({"export", lines, "-o", from}).code, EX_OK);
  const Outcome imported = run({"import", lines, "-o", into});
  EXPECT_EQ(imported.code, EX_OK) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("1 hash added"));
  EXPECT_THAT(run({"verify", "-o", into}).out, HasSubstr("no problem found\n"));
}

// The largest value of a row may be on another list than the one that is asked for.
TEST(ListCommand, OrdersByTheValueOnTheListAskedFor) {
  shingled::testing::TemporaryDirectory directory;
  const std::string path = directory.file("fuzzy.db");
  {
    auto table = storage::sqlite::FuzzyTable::open(path, Durability::kNormal);
    ASSERT_TRUE(table);
    auto transaction = (*table)->begin();
    const auto insert = [&](std::uint8_t name, std::vector<storage::FlagValue> flags) {
      storage::sqlite::FuzzyRow row;
      row.digest.bytes.fill(name);
      row.created = row.updated = 1'700'000'000;
      for (const storage::FlagValue& flag : flags) row.flags.add(flag);
      ASSERT_TRUE((*table)->insert(row));
    };
    insert(0xaa, {{11, 90}, {12, 1}});
    insert(0xbb, {{12, 7}});
    insert(0xcc, {{11, 50}, {12, 5}});
    ASSERT_TRUE(transaction->commit());
  }
  const auto order = [&](std::vector<std::string> filter) {
    std::vector<std::string> arguments = {"list",   "--order", "value",
                                          "--json", "-o",      "storage.hashfile=" + path};
    arguments.insert(arguments.end(), filter.begin(), filter.end());
    std::string names;
    std::istringstream lines(run(arguments).out);
    for (std::string line; std::getline(lines, line);) {
      names += line.substr(line.find("\"digest\":\"") + 10, 2);
    }
    return names;
  };
  EXPECT_EQ(order({}), "aaccbb");
  EXPECT_EQ(order({"--flag", "12"}), "bbccaa");
  EXPECT_EQ(order({"--flag", "11"}), "aacc");
}

}  // namespace
}  // namespace shingled::milter::desk
