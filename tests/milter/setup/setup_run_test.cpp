#include "milter/setup/setup_run.h"

#include <gtest/gtest.h>

#include <map>

#include "milter/setup/plan.h"

namespace shingled::milter::setup {
namespace {

/// A Postfix whose main.cf is a map, and files in memory.
class FakeMachine final : public Machine {
 public:
  Result<std::string> run(const std::vector<std::string>& arguments) override {
    calls.push_back(arguments);
    if (arguments[0] == "postfix") {
      if (arguments.back() == "status" && !running)
        return Error{ErrorCode::kInvalid, "not running"};
      return std::string();
    }
    if (arguments[0] == "dovecot") return std::string("2.3.19.1 (9b53102964)\n");
    if (arguments[0] == "sievec") return Error{ErrorCode::kInvalid, "sievec: no"};
    if (arguments[0] == "install") return std::string();
    if (arguments[0] == "doveconf") return files["/etc/dovecot/conf.d/95-shingled.conf"];
    if (arguments[0] != "postconf") return Error{ErrorCode::kNotFound, arguments[0]};
    if (arguments.size() > 3 && arguments[3] == "-e") {
      for (std::size_t i = 4; i < arguments.size(); ++i) main_cf += arguments[i] + "\n";
      return std::string();
    }
    const bool all = arguments.size() == 4 && (arguments[3] == "-n" || arguments[3] == "-x");
    return arguments.size() == 3 || all ? main_cf : "";
  }
  bool is_newer(const std::string& /*path*/, const std::string& /*than*/) override {
    return compiled;
  }
  bool is_link(const std::string& path) override { return path == link; }
  Result<std::string> read(const std::string& path) override {
    if (!files.contains(path)) return Error{ErrorCode::kNotFound, path};
    return files[path];
  }
  Status write(const std::string& path, std::string_view content) override {
    if (full) return Error{ErrorCode::kUnavailable, "no space"};
    files[path] = content;
    return {};
  }
  Status copy(const std::string& from, const std::string& to) override {
    if (full) return Error{ErrorCode::kUnavailable, "no space"};
    if (!files.contains(from)) return Error{ErrorCode::kNotFound, from};
    files[to] = files[from];
    return {};
  }

  std::map<std::string, std::string> files;
  std::vector<std::vector<std::string>> calls;
  std::string main_cf;
  std::string link;
  bool running = true;
  bool compiled = false;
  bool full = false;
};

OwnFacts own() {
  OwnFacts out;
  out.milter = {SocketSpec::Kind::kInet, "127.0.0.1", 11339, ""};
  out.storage = {SocketSpec::Kind::kInet, "127.0.0.1", 11335, ""};
  out.lists = {{"FUZZY_DENIED", 11, 20}};
  out.share = "/usr/share/shingled/dovecot";
  out.compiled = "/var/cache/shingled/dovecot";
  out.status_header = "X-Shingled-Status";
  out.spam_header = "X-Spam";
  return out;
}

TEST(SetupRun, WritesWhoseReportsCountIntoOurOwnFile) {
  FakeMachine machine;
  machine.files["/etc/shingled/shingled.yaml"] = "reports:\n  keep: 60d\n";
  OwnFacts facts = own();
  facts.settings_file = "/etc/shingled/shingled.yaml";
  const auto asked = SetupRun(Peer::kReports, "", facts, machine).look();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->problems.size(), 1U) << "it is a question";
  facts.residents = "all";
  SetupRun run(Peer::kReports, "", facts, machine);
  ASSERT_TRUE(run.apply(*run.look(), "20261123221000"));
  EXPECT_EQ(machine.files["/etc/shingled/shingled.yaml"],
            "reports:\n  residents: all\n  keep: 60d\n");
  EXPECT_EQ(machine.files["/etc/shingled/shingled.yaml.shingled-20261123221000"],
            "reports:\n  keep: 60d\n");
  EXPECT_TRUE(run.look()->is_right());
}

TEST(SetupRun, AppliesToPostfixWithACopyAndReloads) {
  FakeMachine machine;
  machine.files["/etc/postfix/main.cf"] = "before";
  SetupRun run(Peer::kPostfix, "", own(), machine);
  const auto plan = run.look();
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->is_right());
  const auto applied = run.apply(*plan, "20261123221000");
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->lines.size(), 3U);
  EXPECT_EQ(machine.files["/etc/postfix/main.cf.shingled-20261123221000"], "before");
  EXPECT_EQ(machine.calls.back(),
            (std::vector<std::string>{"postfix", "-c", "/etc/postfix", "reload"}));
  const auto second = run.look();
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_right());
  EXPECT_TRUE(run.apply(*second, "20261123221001")->lines.empty());
  EXPECT_EQ(machine.files.size(), 2U) << "no further copy";
}

TEST(SetupRun, AttachesNobodyToAMilterThatIsOff) {
  FakeMachine machine;
  machine.files["/etc/mail/sendmail.mc"] = "MAILER(`smtp')dnl\n";
  OwnFacts off = own();
  off.has_milter = false;
  for (const Peer peer : {Peer::kPostfix, Peer::kSendmail}) {
    SetupRun run(peer, "", off, machine);
    const auto plan = run.look();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->problems.size(), 1U);
    EXPECT_TRUE(plan->differences.empty());
  }
}

TEST(SetupRun, DoesNotReloadAPostfixThatIsNotRunning) {
  FakeMachine machine;
  machine.running = false;
  SetupRun run(Peer::kPostfix, "/conf", own(), machine);
  ASSERT_TRUE(run.apply(*run.look(), "1"));
  EXPECT_EQ(machine.calls.back(), (std::vector<std::string>{"postfix", "-c", "/conf", "status"}));
}

TEST(SetupRun, ALinkIsNotReplacedByAFile) {
  FakeMachine machine;
  machine.link = "/etc/postfix/main.cf";
  SetupRun run(Peer::kPostfix, "", own(), machine);
  const auto plan = run.look();
  EXPECT_EQ(plan->problems.size(), 1U);
  for (const Difference& one : plan->differences)
    machine.main_cf += one.setting + " = " + one.wanted + "\n";
  EXPECT_TRUE(run.look()->is_right()) << "once somebody has changed it";
}

TEST(SetupRun, WithoutACopyNothingIsChanged) {
  FakeMachine machine;
  machine.files = {{"/etc/mail/sendmail.mc", "MAILER(`smtp')dnl\n"}, {"/etc/postfix/main.cf", ""}};
  for (const Peer peer : {Peer::kSendmail, Peer::kPostfix}) {
    SetupRun run(peer, "", own(), machine);
    const auto plan = run.look();
    ASSERT_TRUE(plan);
    machine.full = true;
    EXPECT_FALSE(run.apply(*plan, "1"));
    machine.full = false;
  }
  EXPECT_EQ(machine.files["/etc/mail/sendmail.mc"], "MAILER(`smtp')dnl\n");
  EXPECT_EQ(machine.main_cf, "");
}

TEST(SetupRun, EachPeerIsRightAfterItsChanges) {
  struct Case {
    Peer peer;
    const char* file;
    const char* changed;
  };
  constexpr Case kCases[] = {
      {Peer::kSendmail, "/etc/mail/sendmail.mc", "/etc/mail/sendmail.mc"},
      {Peer::kRspamd, "", "/etc/rspamd/local.d/fuzzy_check.conf"},
      {Peer::kDovecot, "/etc/dovecot/dovecot.conf", "/etc/dovecot/conf.d/95-shingled.conf"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.changed);
    FakeMachine machine;
    if (*test.file != '\0') machine.files[test.file] = "!include conf.d/*.conf\n";
    SetupRun run(test.peer, "", own(), machine);
    const auto plan = run.look();
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_FALSE(plan->is_right());
    ASSERT_TRUE(run.apply(*plan, "1"));
    EXPECT_TRUE(machine.files.contains(test.changed));
    EXPECT_TRUE(run.look()->is_right());
  }
}

TEST(SetupRun, CompilesScriptsThatAreNotOrNoMore) {
  FakeMachine machine;
  machine.files["/etc/dovecot/dovecot.conf"] = "!include conf.d/*.conf\n";
  SetupRun run(Peer::kDovecot, "", own(), machine);
  ASSERT_TRUE(run.apply(*run.look(), "1"));
  const auto plan = run.look();
  EXPECT_TRUE(plan->is_right());
  EXPECT_EQ(plan->scripts.size(), 3U);
  const auto applied = run.apply(*plan, "2");
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->lines.size(), 3U);
  EXPECT_EQ(machine.calls.back().front(), "sievec");
  EXPECT_EQ(*(machine.calls.back().end() - 2), "/usr/share/shingled/dovecot/marked-to-junk.sieve");
  EXPECT_EQ(machine.calls.back().back(), "/var/cache/shingled/dovecot/marked-to-junk.svbin");
  machine.compiled = true;
  EXPECT_TRUE(run.look()->scripts.empty());
}

TEST(SetupRun, DeliversMarkedMailToJunkUnlessTold) {
  FakeMachine machine;
  const std::string file = "/etc/dovecot/conf.d/95-shingled.conf";
  machine.files["/etc/dovecot/dovecot.conf"] = "!include conf.d/*.conf\n";
  OwnFacts without = own();
  without.junk_rule = false;
  SetupRun with_rule(Peer::kDovecot, "", own(), machine);
  SetupRun without_rule(Peer::kDovecot, "", without, machine);
  ASSERT_TRUE(with_rule.apply(*with_rule.look(), "1"));
  EXPECT_NE(machine.files[file].find("marked-to-junk"), std::string::npos);
  ASSERT_TRUE(without_rule.apply(*without_rule.look(), "2"));
  EXPECT_EQ(machine.files[file].find("marked-to-junk"), std::string::npos);
  EXPECT_NE(machine.files[file].find("report-spam"), std::string::npos);
  EXPECT_TRUE(without_rule.look()->is_right());
  EXPECT_EQ(without_rule.look()->scripts.size(), 2U);
  EXPECT_FALSE(with_rule.look()->is_right());
  ASSERT_TRUE(with_rule.apply(*with_rule.look(), "3"));
  ASSERT_TRUE(with_rule.apply(*with_rule.look_for_removal(), "4"));
  EXPECT_EQ(machine.files[file], "");
}

TEST(SetupRun, APeerThatIsNotThereIsAnError) {
  FakeMachine machine;
  EXPECT_EQ(SetupRun(Peer::kSendmail, "", own(), machine).look().error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(SetupRun(Peer::kDovecot, "", own(), machine).look().error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace shingled::milter::setup
