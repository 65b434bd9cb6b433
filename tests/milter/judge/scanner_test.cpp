// Covers milter/rules/facts.cpp, milter/judge/hash_lookups.cpp.
#include "milter/judge/scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "config/system/unique_fd.h"
#include "milter/features/feature.h"
#include "milter/judge/hash_lookups.h"
#include "milter/policy/compile_rules.h"
#include "milter/policy/parse_condition.h"
#include "milter/policy/policy_evidence.h"
#include "storage/server/fuzzy_server.h"
#include "tests/milter/similar/temporary_library.h"
#include "tests/support/fake_store.h"

namespace shingled::milter::judge {
namespace {

using namespace std::chrono_literals;

std::string message() {
  std::ostringstream text;
  text << "From: a@example.org\r\nSubject: hi\r\n\r\n";
  for (int i = 0; i < 120; ++i) text << "word" << i << (i % 10 == 9 ? "\r\n" : " ");
  return text.str();
}

class ScannerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Scanner> open(Settings settings, const storage::FuzzyStore* local,
                                std::shared_ptr<const policy::Policy> policy = {}) {
    auto scanner = Scanner::open(std::make_shared<const Settings>(std::move(settings)), local,
                                 clock_, random_, nullptr, ServerNames::kNow, std::move(policy));
    EXPECT_TRUE(scanner.has_value()) << (scanner ? "" : scanner.error().message);
    return *std::move(scanner);
  }

  /// A service on a port of the kernel's choice in front of `store`.
  std::unique_ptr<storage::server::FuzzyServer> serve(shingled::testing::FakeStore& store) {
    ServerOptions options;
    options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    options.threads = 1;
    auto server = storage::server::FuzzyServer::start(options, store, clock_, random_, logger_);
    EXPECT_TRUE(server.has_value()) << (server ? "" : server.error().message);
    return *std::move(server);
  }

  static RuleOptions remote_rule(const std::string& name, std::uint16_t port) {
    RuleOptions rule;
    rule.name = name;
    rule.remote.servers.servers = {{{SocketSpec::Kind::kInet, "127.0.0.1", port, ""}, {}, 1}};
    rule.remote.timeout = 50ms;
    return rule;
  }

  shingled::testing::FakeStore store_;
  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
};

std::shared_ptr<const policy::Policy> policy_of(std::vector<policy::Rule> rules) {
  auto compiled = policy::compile_rules(std::move(rules), {});
  EXPECT_TRUE(compiled.has_value()) << (compiled ? "" : compiled.error().message);
  return std::make_shared<const policy::Policy>(*std::move(compiled));
}

TEST_F(ScannerTest, ReadsTextsIfARuleOrTheHistoryAsks) {
  policy::Rule rule;
  rule.name = "A";
  rule.condition = std::get<policy::Condition>(policy::parse_condition("words > 10"));
  rule.score = 1;
  const auto knows_words = [&](std::vector<policy::Rule> rules, bool features) {
    const auto scanner = open({}, &store_, policy_of(std::move(rules)));
    const rules::Facts facts = scanner->scan({.bytes = message(), .features = features});
    EXPECT_EQ(facts.lookups.size(), 1U) << "the hashes are the same";
    return facts.features.is_known(features::Feature::kWords);
  };
  EXPECT_FALSE(knows_words({}, false));
  EXPECT_TRUE(knows_words({}, true));
  EXPECT_TRUE(knows_words({rule}, false));
}

TEST_F(ScannerTest, AsksTheEmbeddedStoreAboutEveryHash) {
  store_.knows_all = storage::FlagValue{11, 20};
  const rules::Facts facts = open({}, &store_)->scan({.bytes = message()});
  ASSERT_EQ(facts.lookups.size(), 1U);
  const rules::Lookup& lookup = facts.lookups[0];
  EXPECT_EQ(lookup.outcome, rules::Lookup::Outcome::kHit);
  EXPECT_EQ(lookup.server, "local");
  EXPECT_EQ(lookup.rule, "local");
  EXPECT_EQ(lookup.probability, 1.0F);
  EXPECT_EQ(lookup.match.digest, lookup.hash.fingerprint.digest);
  EXPECT_EQ(facts.bytes, message().size());
  EXPECT_EQ(facts.failed(), 0U);
}

TEST_F(ScannerTest, KnowsTheAmountOfText) {
  const auto scanner = open({}, &store_);
  EXPECT_EQ(scanner->scan({.bytes = "Subject: hi\r\n\r\n"}).text, rules::TextAmount::kNone);
  EXPECT_EQ(scanner->scan({.bytes = "Subject: hi\r\n\r\nSee the picture\r\n"}).text,
            rules::TextAmount::kShort);
  EXPECT_EQ(scanner->scan({.bytes = message()}).text, rules::TextAmount::kLong);
}

TEST_F(ScannerTest, HashesOnceForRulesWithTheSameHashOptions) {
  Settings settings;
  settings.rules.resize(3);
  settings.rules[1].name = "again";
  settings.rules[2].name = "other";
  settings.rules[2].hash.fuzzy_key = "another key";
  const rules::Facts facts = open(settings, &store_)->scan({.bytes = message()});
  ASSERT_EQ(facts.lookups.size(), 3U);
  EXPECT_EQ(facts.hashes, 2U);
  EXPECT_EQ(facts.lookups[0].hash, facts.lookups[1].hash);
  EXPECT_NE(facts.lookups[0].hash.fingerprint.digest, facts.lookups[2].hash.fingerprint.digest);
  EXPECT_EQ(facts.lookups[2].rule, "other");
}

TEST_F(ScannerTest, ReportsThatARuleHasNoStorage) {
  const rules::Facts facts = open({}, nullptr)->scan({.bytes = message()});
  ASSERT_EQ(facts.lookups.size(), 1U);
  EXPECT_EQ(facts.lookups[0].outcome, rules::Lookup::Outcome::kUnreachable);
  EXPECT_EQ(facts.failed(), 1U);
}

TEST_F(ScannerTest, HasNoLookupsForAnEmptyMessage) {
  EXPECT_TRUE(open({}, &store_)->scan({.bytes = ""}).lookups.empty());
}

TEST_F(ScannerTest, AsksLocalAndRemoteServicesForOneVerdict) {
  shingled::testing::FakeStore far;
  far.knows_all = storage::FlagValue{12, 9};
  const auto server = serve(far);
  Settings settings;
  settings.rules.push_back(remote_rule("far", server->addresses().at(0).port()));
  settings.rules[1].remote.timeout = 5000ms;
  int waits = 0;
  const auto scanner = open(settings, &store_);
  const std::string mail = message();
  const rules::Facts facts = scanner->scan({.bytes = mail, .before_wait = [&] { ++waits; }});
  ASSERT_EQ(facts.lookups.size(), 2U);
  EXPECT_EQ(facts.lookups[0].outcome, rules::Lookup::Outcome::kMiss);
  EXPECT_EQ(facts.lookups[1].outcome, rules::Lookup::Outcome::kHit) << facts.lookups[1].error;
  EXPECT_EQ(facts.lookups[1].server, server->addresses().at(0).to_string());
  EXPECT_EQ(facts.lookups[1].match.flags[0], (storage::FlagValue{12, 9}));
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(scanner->judge(facts, FailurePolicy::kAccept).action, rules::Action::kAddHeader);
}

/// `junk` small attachments, then the text.
std::string padded_message(int junk) {
  std::ostringstream text;
  text << "Content-Type: multipart/mixed; boundary=b\r\n\r\n";
  for (int i = 0; i < junk; ++i) {
    text << "--b\r\nContent-Type: application/pdf; name=a\r\n\r\n%PDF-1.4\r\n" << i << "\r\n";
  }
  text << "--b\r\nContent-Type: text/plain\r\n\r\n";
  for (int i = 0; i < 120; ++i) text << "word" << i << (i % 10 == 9 ? "\r\n" : " ");
  text << "\r\n--b--\r\n";
  return text.str();
}

TEST_F(ScannerTest, PaddingBeforeTheTextDoesNotHideIt) {
  shingled::testing::FakeStore far;
  const auto server = serve(far);
  Settings settings;
  settings.rules = {remote_rule("far", server->addresses().at(0).port())};
  settings.rules[0].remote.timeout = 5000ms;
  settings.rules[0].hash.min_bytes = 0;
  settings.milter.lookups_max = 500;
  const rules::Facts facts = open(settings, nullptr)->scan({.bytes = padded_message(2000)});
  ASSERT_EQ(facts.lookups.size(), 500U);
  EXPECT_EQ(facts.lookups[0].hash.part, "2001");
  EXPECT_EQ(facts.lookups[0].hash.kind, mime::PartKind::kText);
  EXPECT_EQ(facts.hashes, facts.lookups.size() + facts.unasked);
  EXPECT_GT(facts.unasked, 1400U);
  EXPECT_EQ(facts.failed(), 0U);
}

TEST_F(ScannerTest, ASilentRemoteCostsAFactAndNotTheMessage) {
  // Nothing reads from this bound socket: there is neither an answer nor an ICMP error.
  const UniqueFd silent(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  SocketAddress any(*IpAddress::parse("127.0.0.1"), 0);
  ASSERT_EQ(::bind(silent.get(), any.get(), any.length()), 0);
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  ::getsockname(silent.get(), reinterpret_cast<sockaddr*>(&bound), &length);

  store_.knows_all = storage::FlagValue{11, 20};
  Settings settings;
  settings.milter.timeout = 100ms;
  const auto* generic = reinterpret_cast<const sockaddr*>(&bound);
  settings.rules.push_back(remote_rule("silent", SocketAddress(generic, length).port()));
  const rules::Facts facts = open(settings, &store_)->scan({.bytes = message()});
  ASSERT_EQ(facts.lookups.size(), 2U);
  EXPECT_EQ(facts.lookups[0].outcome, rules::Lookup::Outcome::kHit);
  EXPECT_EQ(facts.lookups[1].outcome, rules::Lookup::Outcome::kTimeout);
}

TEST_F(ScannerTest, NamesTheRuleWhoseServerCannotBeFound) {
  Settings settings;
  settings.rules.push_back(remote_rule("lost", 11335));
  settings.rules[1].remote.servers.servers[0].socket.host = "no-such-host.invalid";
  const auto scanner =
      Scanner::open(std::make_shared<const Settings>(settings), &store_, clock_, random_);
  ASSERT_FALSE(scanner.has_value());
  EXPECT_THAT(scanner.error().message, ::testing::HasSubstr("rule lost"));
}

TEST_F(ScannerTest, LooksUpKnownFilesIfThereIsALibrary) {
  const shingled::testing::TemporaryLibrary file;
  const std::shared_ptr<storage::similar::SampleLibrary> library = file.open();
  const std::string sample = shingled::testing::noise(30'000, 1);
  shingled::testing::TemporaryLibrary::add(*library, "bad", "known.bin", sample);
  const std::string mail =
      "Subject: hi\r\nContent-Type: application/octet-stream; name=\"a.bin\"\r\n"
      "Content-Transfer-Encoding: binary\r\n\r\n" +
      sample;
  SimilarList bad;
  bad.name = "bad";
  bad.symbol = "KNOWN_BAD";
  bad.score = 8;
  Settings settings;
  settings.similar.enabled = true;
  settings.similar.lists = {bad};
  const auto scan = [&](const Settings& wanted, auto samples) {
    auto scanner = Scanner::open(std::make_shared<const Settings>(wanted), &store_, clock_, random_,
                                 std::move(samples));
    EXPECT_TRUE(scanner.has_value());
    rules::Facts facts = (*scanner)->scan({.bytes = mail});
    rules::Verdict verdict = (*scanner)->judge(facts, FailurePolicy::kAccept);
    return std::pair(std::move(verdict), facts.findings.at(1));
  };
  const auto [verdict, files] = scan(settings, library);
  ASSERT_EQ(files.evidence.size(), 1U);
  EXPECT_EQ(verdict.symbols.at(0).name, "KNOWN_BAD");
  EXPECT_DOUBLE_EQ(verdict.score, 8);

  const std::shared_ptr<storage::similar::SampleLibrary> none;
  EXPECT_TRUE(scan(settings, none).second.evidence.empty());
  settings.similar.enabled = false;
  EXPECT_TRUE(scan(settings, library).second.evidence.empty());
  EXPECT_FALSE(scan(settings, library).second.asked);
}

using mime::PartHash;
using mime::PartPlace;

PartHash hash(const char* part, PartPlace place, std::uint64_t bytes) {
  PartHash out;
  out.part = part;
  out.place = place;
  out.bytes = bytes;
  return out;
}

struct Case {
  const char* why;
  std::vector<PartHash> hashes;
  std::size_t count_max;
  std::string expected;
};

TEST(LookupOrder, BeginsWithTheMostUsefulHashes) {
  const Case cases[] = {
      {"the order of an ordinary message does not change",
       {hash("1.1", PartPlace::kBody, 10), hash("1.2", PartPlace::kBody, 90),
        hash("2", PartPlace::kAttachment, 50)},
       1000,
       "1.1 1.2 2"},
      {"the body is the first, wherever it is",
       {hash("1", PartPlace::kArchive, 9000), hash("2", PartPlace::kAttachment, 9000),
        hash("3", PartPlace::kText, 9000), hash("4", PartPlace::kBody, 1)},
       1000,
       "4 3 2 1"},
      {"small attachments do not hide a large one",
       {hash("1", PartPlace::kAttachment, 1), hash("2", PartPlace::kAttachment, 2),
        hash("3", PartPlace::kAttachment, 900)},
       1,
       "3"},
      {"small texts and archives do not hide large ones",
       {hash("1", PartPlace::kText, 1), hash("2", PartPlace::kText, 2),
        hash("3", PartPlace::kArchive, 1), hash("4", PartPlace::kArchive, 2)},
       1000,
       "2 1 4 3"},
      {"of equal parts the first ones are asked",
       {hash("1", PartPlace::kText, 5), hash("2", PartPlace::kText, 5),
        hash("3", PartPlace::kText, 5)},
       2,
       "1 2"},
      {"nothing to ask", {}, 1, ""},
  };
  for (const Case& c : cases) {
    std::string order;
    for (const PartHash& one : in_order_of_value(c.hashes, c.count_max))
      order += (order.empty() ? "" : " ") + one.part;
    EXPECT_EQ(order, c.expected) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::judge
