// Covers milter/http/access.cpp, milter/http/accounts/key_file.cpp,
// milter/http/accounts/user_file.cpp, milter/http/accounts/sessions.cpp,
// milter/http/accounts/rights.cpp: who may do what.
#include "milter/http/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <map>

#include "storage/crypto/password.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::http {
namespace {

using ::testing::HasSubstr;

/// A request over loopback, unless a test says otherwise.
struct Sent {
  std::map<std::string, std::string> fields = {{"Host", "localhost:11340"}};
  const char* peer = "127.0.0.1";  ///< nullptr: a unix socket
  bool is_get = true;

  [[nodiscard]] RequestHead head() const {
    RequestHead out;
    if (peer != nullptr) out.peer = IpAddress::parse(peer);
    out.own = IpAddress::parse("192.0.2.9");
    out.is_get = is_get;
    out.field = [this](const char* name) -> const char* {
      const auto found = fields.find(name);
      return found == fields.end() ? nullptr : found->second.c_str();
    };
    return out;
  }
};

class AccessTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text, mode_t mode = 0640) {
    const std::string path = directory_.file(name);
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
  }
  Result<std::unique_ptr<Access>> open(Role local = Role::kChange) {
    return Access::open({local, directory_.file("keys"), directory_.file("users")}, clock_,
                        random_);
  }
  /// A key with this role, in the file.
  std::string add_key(const std::string& name, Role role) {
    std::array<std::uint8_t, 32> bits{};
    random_.fill(bits);
    const NewKey made = key_from(bits);
    keys_.push_back({name, role, made.digest});
    write("keys", keys_text(keys_));
    return made.text;
  }
  Caller ask(const Access& access, const Sent& sent) { return access.caller(sent.head()); }

  testing::TemporaryDirectory directory_;
  testing::ManualClock clock_;
  SystemRandom random_;
  std::vector<ProgramKey> keys_;
};

TEST_F(AccessTest, AKeyHasItsRole) {
  const std::string reads = add_key("grafana", Role::kRead);
  const std::string counts = add_key("postfix.1", Role::kCount);
  const auto access = open();
  ASSERT_TRUE(access) << access.error().message;
  const auto with = [&](const std::string& field, const std::string& value) {
    return ask(**access, {{{"Host", "mx.example.org"}, {field, value}}, "198.51.100.7", false});
  };
  EXPECT_EQ(with("Authorization", "Bearer " + reads).role, Role::kRead);
  EXPECT_EQ(with("Authorization", "bearer " + counts).role, Role::kCount);
  EXPECT_EQ(with("X-Shingled-Key", counts).name, "postfix.1");
  for (const std::string& wrong :
       {reads.substr(0, reads.size() - 1), reads + "y", std::string("x"), std::string(5000, 'k')})
    EXPECT_EQ(with("Authorization", "Bearer " + wrong).role, Role::kOff) << wrong;
  EXPECT_EQ(with("Authorization", reads).role, Role::kOff) << "not Bearer";
  EXPECT_EQ(ask(**access, {{{"Host", "localhost"}, {"X-Shingled-Key", "wrong"}}}).role, Role::kOff)
      << "a wrong key is not what this machine may do";
}

TEST_F(AccessTest, ThisMachineMayDoWhatTheSettingsSay) {
  const auto all = open();
  const auto reads = open(Role::kRead);
  ASSERT_TRUE(all && reads);
  const struct {
    const char* why;
    Sent sent;
    Role role;
    bool changes;
  } cases[] = {
      {"a program that says so",
       {{{"Host", "127.0.0.1:11340"}, {"X-Shingled", "1"}}, "127.0.0.1", false},
       Role::kChange,
       true},
      {"a form of a page cannot say so",
       {{{"Host", "localhost"}}, "127.0.0.1", false},
       Role::kChange,
       false},
      {"a browser needs its token",
       {{{"Host", "localhost"}, {"X-Shingled", "1"}, {"Origin", "http://localhost"}},
        "127.0.0.1",
        false},
       Role::kChange,
       false},
      {"a unix socket",
       {{{"Host", "any.example"}, {"X-Shingled", "1"}}, nullptr, false},
       Role::kChange,
       true},
      {"IPv6", {{{"Host", "[::1]:1"}, {"X-Shingled", "1"}}, "::1", false}, Role::kChange, true},
      {"through a proxy",
       {{{"Host", "localhost"}, {"X-Shingled", "1"}, {"X-Forwarded-For", "192.0.2.1"}},
        "127.0.0.1",
        false},
       Role::kOff,
       true},
      {"another name", {{{"Host", "mx.example.org"}, {"X-Shingled", "1"}}}, Role::kOff, true},
      {"another machine",
       {{{"Host", "localhost"}, {"X-Shingled", "1"}}, "192.0.2.1", false},
       Role::kOff,
       true},
      {"no Host", {{{"X-Shingled", "1"}}}, Role::kOff, true},
  };
  for (const auto& test : cases) {
    const Caller caller = ask(**all, test.sent);
    EXPECT_EQ(caller.role, test.role) << test.why;
    EXPECT_EQ(caller.changes, test.changes) << test.why;
  }
  EXPECT_EQ(ask(**reads, {}).role, Role::kRead);
  // A browser on this machine: the token that it was given.
  const std::string token = ask(**all, {}).csrf;
  ASSERT_FALSE(token.empty());
  Sent browser{{{"Host", "localhost"}, {"Origin", "http://localhost"}, {kCsrfHeader, token}},
               "127.0.0.1",
               false};
  EXPECT_TRUE(ask(**all, browser).changes);
  browser.fields[kCsrfHeader] = token.substr(1);
  EXPECT_FALSE(ask(**all, browser).changes);
}

TEST_F(AccessTest, ASessionEndsBySignOutByTimeAndWithThePerson) {
  const std::string hash = storage::crypto::hash_password("correct horse");
  write("users", "# people\n\nann:change:" + hash + "\nbob:read:" + hash + "\n");
  const auto access = open(Role::kOff);
  ASSERT_TRUE(access) << access.error().message;
  const auto caller = [&](const std::string& session, const std::string& token) {
    return ask(
        **access,
        {{{"Host", "mx.example.org"}, {"Cookie", "a=b; shingled=" + session}, {kCsrfHeader, token}},
         "192.0.2.1",
         false});
  };
  const auto ann = (*access)->sign_in("ann", "correct horse", "192.0.2.0/24");
  const auto bob = (*access)->sign_in("bob", "correct horse", "192.0.2.0/24");
  ASSERT_TRUE(ann && bob);
  EXPECT_EQ(caller(ann->session, ann->csrf).role, Role::kChange);
  EXPECT_TRUE(caller(ann->session, ann->csrf).changes);
  EXPECT_FALSE(caller(ann->session, bob->csrf).changes) << "the token of another session";
  EXPECT_FALSE(caller(ann->session, "").changes);
  EXPECT_EQ(caller(ann->session + "x", ann->csrf).role, Role::kOff);
  EXPECT_EQ(caller(bob->session, bob->csrf).role, Role::kRead);

  write("users", "ann:read:" + hash + "\nbob:read:" + hash + "\n");
  ASSERT_TRUE((*access)->look());
  EXPECT_EQ(caller(ann->session, ann->csrf).role, Role::kOff) << "her role has changed";
  EXPECT_EQ(caller(bob->session, bob->csrf).role, Role::kRead);
  (*access)->sign_out(bob->session);
  EXPECT_EQ(caller(bob->session, bob->csrf).role, Role::kOff);

  const auto again = (*access)->sign_in("ann", "correct horse", "192.0.2.0/24");
  ASSERT_TRUE(again);
  clock_.advance(Sessions::kSessionTime - std::chrono::seconds(1));
  EXPECT_EQ(caller(again->session, again->csrf).role, Role::kRead);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(caller(again->session, again->csrf).role, Role::kOff);
}

TEST_F(AccessTest, AFileThatIsWrongChangesNothing) {
  const std::string key = add_key("one", Role::kRead);
  const auto access = open();
  ASSERT_TRUE(access);
  const Sent sent{{{"Host", "x"}, {"X-Shingled-Key", key}}};
  const struct {
    const char* why;
    std::string text;
    mode_t mode;
    const char* error;
  } cases[] = {
      {"a key of an earlier version", "0123456789abcdef\n", 0640, "keys:1: is not a line of"},
      {"no such role", "one all " + std::string(128, 'a') + "\n", 0640, "the role must be"},
      {"a short digest", "one read aa\n", 0640, "keys:1: is not a line of"},
      {"a strange name", "o/e read " + std::string(128, 'a') + "\n", 0640, "the name has"},
      {"twice",
       "# two\none read " + std::string(128, 'a') + "\none read " + std::string(128, 'b') + "\n",
       0640, "keys:3: the name 'one' comes twice"},
      {"everybody may read it", keys_text(keys_), 0644, "everybody may read it"},
  };
  for (const auto& test : cases) {
    write("keys", test.text, test.mode);
    const Status read = (*access)->look();
    ASSERT_FALSE(read) << test.why;
    EXPECT_THAT(read.error().message, HasSubstr(test.error)) << test.why;
    EXPECT_EQ(ask(**access, sent).role, Role::kRead) << test.why;
    EXPECT_TRUE((*access)->look()) << test.why << ": said once";
  }
  ASSERT_EQ(::unlink(directory_.file("keys").c_str()), 0);
  ASSERT_TRUE((*access)->look());
  EXPECT_EQ(ask(**access, sent).role, Role::kOff) << "no file: no keys";
}

TEST(UserFile, IsReadAsItIsWritten) {
  const std::vector<User> users = {{"ann@example.org", Role::kChange, "$argon2id$v=19$a"},
                                   {"bob", Role::kRead, "$argon2id$v=19$b"}};
  const auto read = parse_users(users_text(users), "users");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, users);
  for (const char* wrong : {"ann", "ann:read", "ann:count:$argon2id$v", "ann:read:plain",
                            ":read:$argon2id$v", "a b:read:$argon2id$v"}) {
    EXPECT_FALSE(parse_users(wrong, "users")) << wrong;
  }
}

TEST(Rights, FollowTheRoles) {
  const struct {
    Role role;
    std::vector<Right> may;
  } cases[] = {
      {Role::kOff, {Right::kNothing}},
      {Role::kMetrics, {Right::kNothing, Right::kMetrics}},
      {Role::kRead, {Right::kNothing, Right::kMetrics, Right::kRead, Right::kAsk}},
      {Role::kCount, {Right::kNothing, Right::kAsk, Right::kCount}},
      {Role::kReport, {Right::kNothing, Right::kReport}},
      {Role::kChange,
       {Right::kNothing, Right::kMetrics, Right::kRead, Right::kAsk, Right::kCount, Right::kReport,
        Right::kChange}},
  };
  for (const auto& test : cases) {
    for (const Right right : {Right::kNothing, Right::kMetrics, Right::kRead, Right::kAsk,
                              Right::kCount, Right::kReport, Right::kChange}) {
      const bool expected = std::find(test.may.begin(), test.may.end(), right) != test.may.end();
      EXPECT_EQ(may(test.role, right), expected)
          << to_string(test.role) << " " << static_cast<int>(right);
    }
    EXPECT_EQ(parse_role(to_string(test.role)), test.role);
  }
  EXPECT_EQ(role_for(Right::kAsk), Role::kRead);
  EXPECT_EQ(role_for(Right::kChange), Role::kChange);
}

}  // namespace
}  // namespace shingled::milter::http
