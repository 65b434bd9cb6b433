// Covers storage/open_store.cpp, milter/daemon/name_check.cpp, milter/daemon/peer_check.cpp.
// Problems of settings that depend on the machine. e2e/test_mistakes.py checks the texts of the
// same function.
#include "milter/daemon/start_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/load_settings.h"
#include "milter/reports/mailbox_names.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::daemon {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class StartCheckTest : public ::testing::Test {
 protected:
  /// The problems of settings whose files are in the folder.
  std::vector<std::string> found_of(const std::string& yaml,
                                    OtherNames names = OtherNames::kLeave) {
    const std::vector<std::string> overrides = {"storage.hashfile=" + folder_.file("fuzzy.db")};
    const config::Loaded loaded = config::load_settings(yaml, "f", overrides);
    for (const config::Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    std::vector<std::string> out;
    Settings settings = *loaded.settings;
    if (settings.counters.embedded.directory == CounterOptions().embedded.directory) {
      settings.counters.embedded.directory = folder_.file("counters");
    }
    if (settings.history.file == HistoryOptions().file)
      settings.history.file = folder_.file("history.db");
    if (settings.reports.file == ReportOptions().file)
      settings.reports.file = folder_.file("reports.db");
    for (const config::Problem& problem : check_start(settings, loaded.places, names))
      out.push_back(problem.to_string());
    return out;
  }

  shingled::testing::TemporaryDirectory folder_;
};

TEST_F(StartCheckTest, FindsNothingWrongWithTheDefaults) { EXPECT_THAT(found_of(""), IsEmpty()); }

TEST_F(StartCheckTest, RefusesFilesOfTwoTimes) {
  std::ofstream(folder_.file("restore.journal")) << "";
  EXPECT_THAT(found_of(""), ElementsAre(AllOf(HasSubstr("storage.hashfile"),
                                              HasSubstr("a restore ended in the middle"),
                                              HasSubstr("run `shingled restore` again"))));
}

/// Root asks, and a service manager starts the daemon as the owner of its files.
TEST_F(StartCheckTest, ChecksWithTheRightsOfTheOwnerOfTheFiles) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can";
  constexpr uid_t kNobody = 65'534;
  const std::string file = folder_.file("shingled.yaml");
  const std::string rules = folder_.file("rules.yaml");
  std::ofstream(file) << "policy: {files: " + rules + "}\n";
  std::ofstream(rules) << "rules: {}\n";
  std::ofstream(folder_.file("list")) << "192.0.2.1\n";
  for (const char* name : {"shingled.yaml", "rules.yaml", "list"})
    std::filesystem::permissions(folder_.file(name), std::filesystem::perms::owner_read);
  const config::Loaded loaded = config::load_settings_file(
      file, std::vector<std::string>{"storage.hashfile=" + folder_.file("fuzzy.db"),
                                     "storage.blocked=" + folder_.file("list"),
                                     "counters.enabled=no", "history.enabled=no",
                                     "reports.enabled=no", "storage.listen=127.0.0.1:0"});
  ASSERT_NE(loaded.settings, nullptr) << loaded.problems.front().to_string();
  const auto found = [&](OtherNames names) {
    std::vector<std::string> out;
    for (const auto& problem : check_start(*loaded.settings, loaded.places, names, file))
      if (problem.severity != config::Problem::Severity::kWarning)
        out.push_back(problem.to_string());
    return out;
  };
  EXPECT_THAT(found(OtherNames::kLookUp), IsEmpty()) << "root may read it";
  EXPECT_EQ(checked_as(*loaded.settings), "");
  ASSERT_EQ(::chown(std::filesystem::path(file).parent_path().c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(found(OtherNames::kLookUp),
              ElementsAre(AllOf(HasSubstr("shingled.yaml: the daemon may not read it, so it could "
                                          "not be reloaded: Permission denied")),
                          AllOf(HasSubstr("policy.files"), HasSubstr("rules.yaml")),
                          AllOf(HasSubstr("storage.blocked"), HasSubstr("Permission denied"))));
  EXPECT_NE(checked_as(*loaded.settings), "");
  EXPECT_THAT(found(OtherNames::kLeave), IsEmpty()) << "the start is what it is";
  std::filesystem::permissions(file, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(found(OtherNames::kLookUp).size(), 2U);
}

TEST_F(StartCheckTest, FindsMistakesInRulesAtTheirPlace) {
  EXPECT_THAT(found_of("policy: {rules: {A: {if: local and lcoal, score: 1}}}"),
              ElementsAre("f:1:36: rule A: unknown symbol 'lcoal'; did you mean 'local'?"));
}

// A fault, not an error: the daemon starts, and each address is a mailbox of its own meanwhile.
TEST_F(StartCheckTest, NamesAFileOfAliasesThatIsNotThere) {
  EXPECT_THAT(
      found_of("reports: {aliases: " + folder_.file("missing") + "}"),
      ElementsAre(AllOf(HasSubstr("f:1:20: reports.aliases: "), HasSubstr("missing: No such"))));
}

TEST_F(StartCheckTest, NamesReportersOfNoDomain) {
  const std::string machine = reports::mail_domain_of_machine();
  const auto found = found_of("reports: {trusted_reporters: [a@example.org, ann]}");
  if (machine.find('.') != std::string::npos) {
    EXPECT_THAT(found, IsEmpty()) << machine;
  } else {
    EXPECT_THAT(found, ElementsAre(AllOf(HasSubstr("warning"),
                                         HasSubstr("reports.trusted_reporters[1]: 'ann' has no "),
                                         HasSubstr("set reports.domain"))));
  }
  EXPECT_THAT(found_of("reports: {domain: example.org, trusted_reporters: [ann]}"), IsEmpty());
}

TEST_F(StartCheckTest, DoesNotCheckDisabledParts) {
  EXPECT_THAT(found_of("storage: {enabled: no, keypair: /nonexistent/keys}\n"
                       "similar: {enabled: no, file: /nonexistent/a.db, lists: [{name: a}]}\n"
                       "ratelimit: {file: /nonexistent/b.db}\n"
                       "history: {enabled: no, file: /nonexistent/c.db}\n"
                       "reports: {enabled: no, file: /nonexistent/d.db}\n"
                       "rules: {feed: {servers: 192.0.2.1}}\n"),
              IsEmpty());
}

TEST_F(StartCheckTest, RequiresTheFolderOfTheHashesOnlyIfItIsUsed) {
  struct Case {
    const char* why;
    const char* storage;
    bool wanted;
  };
  constexpr Case kCases[] = {
      {"the database", "backend: embedded", true},
      {"the journal of updates", "backend: redis", true},
      {"no journal", "backend: redis, redis: {journal_max: 0}", false},
      {"nothing at all", "backend: noop", false},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    const std::string yaml =
        "storage: {hashfile: /nonexistent/fuzzy.db, " + std::string(test.storage) + "}";
    const config::Loaded loaded = config::load_settings(yaml, "f");
    ASSERT_NE(loaded.settings, nullptr);
    Settings settings = *loaded.settings;
    settings.counters.enabled = false;
    settings.history.enabled = false;
    settings.reports.enabled = false;
    const auto found = check_start(settings, loaded.places, OtherNames::kLeave);
    EXPECT_EQ(!found.empty(), test.wanted);
  }
}

TEST_F(StartCheckTest, WarnsOfAFolderOfCountersThatCannotBeUsed) {
  const std::string name = folder_.file("counters");
  std::ofstream(name) << "not a folder";
  EXPECT_THAT(found_of(""), ElementsAre(AllOf(HasSubstr("warning"), HasSubstr("counters.directory"),
                                              HasSubstr("this is not a folder"))));
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  std::ofstream(name + "/key") << "no key\n";
  EXPECT_THAT(found_of(""),
              ElementsAre(AllOf(HasSubstr("counters.directory"), HasSubstr(name + "/key"),
                                HasSubstr("nothing is counted"))));
  const std::string chosen = folder_.file("site.key");
  std::filesystem::rename(name + "/key", chosen);
  using std::filesystem::perms;
  std::filesystem::permissions(chosen, perms::owner_read | perms::owner_write);
  EXPECT_THAT(found_of("counters: {key_file: " + chosen + "}\n"),
              ElementsAre(AllOf(Not(HasSubstr("warning")), HasSubstr("counters.key_file"),
                                HasSubstr(chosen + ": is not a key"))));
}

TEST_F(StartCheckTest, RequiresTheChosenPlaceOfHistoryAndReports) {
  EXPECT_THAT(found_of("history: {file: /nonexistent/c.db}\nreports:\n  file: /nonexistent/d.db\n"),
              ElementsAre(HasSubstr("f:1:17: history.file: /nonexistent/c.db: its folder cannot be "
                                    "used: No such file or directory; allowed: "),
                          HasSubstr("f:3:9: reports.file: /nonexistent/d.db: its folder")));
  const config::Loaded loaded = config::load_settings("", "f");
  Settings settings = *loaded.settings;
  settings.storage.enabled = false;
  settings.counters.enabled = false;
  settings.similar.enabled = false;
  if (std::filesystem::exists(std::filesystem::path(settings.history.file).parent_path()))
    GTEST_SKIP() << "the usual folder is here";
  std::vector<std::string> found;
  for (const auto& problem : check_start(settings, loaded.places, OtherNames::kLeave))
    found.push_back(problem.to_string());
  EXPECT_THAT(found, ElementsAre(AllOf(HasSubstr("warning"), HasSubstr("history.file")),
                                 AllOf(HasSubstr("warning"), HasSubstr("reports.file"),
                                       HasSubstr("mail goes on without it"))));
}

TEST_F(StartCheckTest, FindsEveryMissingFile) {
  EXPECT_THAT(found_of("storage:\n  blocked: [/nonexistent/a, /nonexistent/b]\n"
                       "  trusted: /nonexistent/c\n"),
              ElementsAre(HasSubstr("f:3:12: storage.trusted: /nonexistent/c"),
                          HasSubstr("f:2:12: storage.blocked: /nonexistent/a"),
                          HasSubstr("f:2:12: storage.blocked: /nonexistent/b")));
}

TEST_F(StartCheckTest, ReadsWhoMayUseTheHttpService) {
  for (const std::string key : {"keys_file", "users_file"}) {
    SCOPED_TRACE(key);
    const std::string file = folder_.file(key);
    const std::string yaml = "http:\n  " + key + ": " + file + "\n";
    EXPECT_THAT(found_of(yaml), IsEmpty()) << "it need not exist";
    std::ofstream(file) << "no entry\n";
    ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
    EXPECT_THAT(found_of(yaml), ElementsAre(AllOf(HasSubstr("f:2:"), HasSubstr("http." + key),
                                                  HasSubstr("everybody may read it"))));
    ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
    EXPECT_THAT(found_of(yaml),
                ElementsAre(AllOf(HasSubstr("http." + key), HasSubstr(file + ":1: "))));
    EXPECT_THAT(found_of(yaml + "  listen: []\n"), IsEmpty()) << "nobody asks";
  }
}

TEST_F(StartCheckTest, ReadsTheCertificateOfTheHttpService) {
  const std::string data = SHINGLED_SOURCE_DIR "/tests/data/tls/";
  const std::string key = folder_.file("key.pem");
  std::filesystem::copy_file(data + "key.pem", key);
  ASSERT_EQ(::chmod(key.c_str(), 0600), 0);
  const auto found = [&](const std::string& certificate, const std::string& of_it) {
    return found_of("http: {tls: {certificate: " + certificate + ", key: " + of_it + "}}");
  };
  EXPECT_THAT(found(data + "certificate.pem", key), IsEmpty());
  EXPECT_THAT(found(data + "other_certificate.pem", key),
              ElementsAre(HasSubstr("is not the key of the certificate")));
  EXPECT_THAT(found("/no/such.pem", key),
              ElementsAre(AllOf(HasSubstr("http.tls"), HasSubstr("/no/such.pem"))));
}

TEST_F(StartCheckTest, ReadsTheAddressOfADaemonElsewhere) {
  EXPECT_THAT(found_of("client: {server: 'https://mx.example.org'}"), IsEmpty());
  EXPECT_THAT(found_of("client: {server: mx.example.org}"),
              ElementsAre(AllOf(HasSubstr("client.server"), HasSubstr("must be https://HOST"))));
}

TEST_F(StartCheckTest, LooksUpNamesOfOtherServersOnlyOnRequest) {
  const std::string yaml =
      "rules: {feed: {servers: no-such-host.invalid, write_servers: no-such-host.invalid}}";
  EXPECT_THAT(found_of(yaml), IsEmpty());
  EXPECT_THAT(found_of(yaml, OtherNames::kLookUp),
              ElementsAre(AllOf(HasSubstr("warning"), HasSubstr("rules.feed.servers")),
                          AllOf(HasSubstr("warning"), HasSubstr("rules.feed.write_servers"))));
}

TEST_F(StartCheckTest, ChecksWithTheRightsOfTheUserOfTheDaemon) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can check with the rights of another user";
  ASSERT_EQ(::chmod(folder_.file("").c_str(), 0755), 0);
  EXPECT_THAT(
      found_of("daemon: {user: nobody}"),
      ElementsAre(AllOf(HasSubstr("storage.hashfile: "),
                        HasSubstr("the daemon may not write to its folder: Permission denied")),
                  AllOf(HasSubstr("warning"), HasSubstr("counters.directory"),
                        HasSubstr("it cannot be made: Permission denied")),
                  HasSubstr("history.file"), HasSubstr("reports.file")));
  EXPECT_EQ(::geteuid(), 0U);
}

}  // namespace
}  // namespace shingled::milter::daemon
