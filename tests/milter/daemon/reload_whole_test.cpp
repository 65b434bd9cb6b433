// Covers milter/daemon/serve.cpp.
// A reload of which one part cannot be done changes nothing.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/milter/daemon/daemon_fixture.h"

namespace shingled::milter::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReloadWholeTest : public DaemonTest {
 protected:
  /// Starts with a hash that rejects, so that `milter.reject_text` tells which settings are in
  /// force.
  void start_with_known_spam() {
    start_and_wait();
    learn(digest_of("hi"), 11, 20);
    ASSERT_THAT(final_answer("Q1"), HasSubstr("550 5.7.1"));
  }
  /// The settings of the test, as `start` has them, in a file; `more` after them.
  void write_settings(const std::string& reject_text, const std::string& more) const {
    std::ofstream(source_.file) << "milter: {reject_text: " << reject_text << "}\n" << more;
  }
  [[nodiscard]] std::size_t reloads() const { return count("reloaded file="); }
  [[nodiscard]] std::size_t failures() const { return count("settings=unchanged"); }
  void expect_refused() {
    const std::size_t before = failures();
    ::kill(child_, SIGHUP);
    EXPECT_TRUE(eventually([&] { return failures() > before; })) << log();
    EXPECT_EQ(reload_of_right_settings(), 1U) << "only that of right settings\n" << log();
  }

  std::function<void()> mend_ = [] {};  ///< makes right what is not in the settings

 private:
  /// A reload of settings without a mistake, so that the one before has ended. Returns how many
  /// reloads have succeeded.
  std::size_t reload_of_right_settings() {
    EXPECT_THAT(final_answer("Q2"), Not(HasSubstr("new text"))) << log();
    EXPECT_THAT(log(), Not(HasSubstr("similar_opened")));
    mend_();
    write_settings("'right text'", "");
    ::kill(child_, SIGHUP);
    EXPECT_TRUE(logs("reloaded file=")) << log();
    EXPECT_THAT(final_answer("Q3"), HasSubstr("right text"));
    return reloads();
  }
  [[nodiscard]] std::size_t count(const std::string& text) const {
    const std::string lines = log();
    std::size_t out = 0;
    for (std::size_t at = lines.find(text); at != std::string::npos; at = lines.find(text, at + 1))
      ++out;
    return out;
  }
};

TEST_F(ReloadWholeTest, ACertificateThatIsNotOne) {
  const std::string certificate = directory_ + "/tls.pem";
  const std::string source = SHINGLED_SOURCE_DIR "/tests/data/tls/";
  mend_ = [&] {
    std::filesystem::copy_file(source + "certificate.pem", certificate,
                               std::filesystem::copy_options::overwrite_existing);
  };
  mend_();
  const std::string key = directory_ + "/tls.key";
  std::filesystem::copy_file(source + "key.pem", key);
  std::filesystem::permissions(key, std::filesystem::perms::owner_read);
  settings_.http.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
  settings_.http.certificate = certificate;
  settings_.http.key = key;
  start_with_known_spam();
  std::ofstream(certificate) << "no certificate";
  write_settings("'new text'", "");
  expect_refused();
  EXPECT_THAT(log(), HasSubstr("http.tls"));
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(ReloadWholeTest, AnAccessListThatIsNotThere) {
  start_with_known_spam();
  write_settings("'new text'", "storage: {blocked: " + directory_ + "/no-such-list}\n");
  expect_refused();
  EXPECT_THAT(log(), HasSubstr("no-such-list"));
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(ReloadWholeTest, AListOfALimitThatIsNotThereAfterALibraryCouldBeOpened) {
  start_with_known_spam();
  write_settings("'new text'", "similar: {enabled: yes, file: " + directory_ +
                                   "/similar.db, lists: [{name: bad, score: 8}]}\n"
                                   "ratelimit: {whitelisted_ip: " +
                                   directory_ + "/no-such-list, rates: {ip: [10, 100 / 1h]}}\n");
  expect_refused();
  EXPECT_THAT(log(), HasSubstr("no-such-list"));
  EXPECT_EQ(stop(), EX_OK);
}

}  // namespace
}  // namespace shingled::milter::daemon
