// Messages that are counted in the real embedded store.
#include "milter/judge/message_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "config/base/logger.h"
#include "milter/counters/counted_keys.h"
#include "storage/counters/embedded/embedded_counters.h"
#include "storage/open_store.h"
#include "tests/support/fake_counters.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::judge {
namespace {

using counters::CountingState;
using counters::CountThresholds;
using counters::MessageCounter;
using storage::counters::counter_of;

using storage::counters::counter_of;
using storage::counters::CounterKey;
using storage::counters::CountName;
using storage::counters::Direction;
using storage::counters::Measure;
using storage::counters::Period;

constexpr CounterKeyBytes kSite{0x71};

struct Mail {
  std::string sender = "<a@b.example>";
  std::vector<std::string> recipients = {"<c@d.example>"};
  std::string body = "https://host.example.org/x";
  std::string id = "1";
  std::string user = {};
  bool put_off = false;
  std::uint64_t refused = 0;
  bool looked_at = true;
};

class MessageCountTest : public ::testing::Test {
 protected:
  void use(std::shared_ptr<storage::counters::CounterStore> store) {
    store_ = std::move(store);
    counter_ = std::make_shared<const MessageCounter>(
        MessageCounter::Setup{.options = options_,
                              .thresholds = CountThresholds::of(options_, {}),
                              .needs = {},
                              .site = kSite,
                              .name = {},
                              .store = store_},
        clock_, logger_, state_);
  }
  void use_embedded() {
    options_.embedded.directory = folder_.file("counters");
    auto opened = storage::open_counters(options_, clock_, random_, logger_);
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    use(*std::move(opened));
  }
  void count(const Mail& mail) {
    MessageCount count(counter_,
                       {.sender = mail.sender,
                        .recipients = {},
                        .client = IpAddress::parse("192.0.2.7"),
                        .helo = "mx.b.example",
                        .client_name = "mx.example.net",
                        .user = mail.user,
                        .country = {}},
                       Direction::kIn);
    for (const std::string& path : mail.recipients) count.recipient(path);
    for (std::uint64_t i = 0; i < mail.refused; ++i) count.refused_recipient();
    const std::string message =
        "Subject: hi\r\nMessage-Id: <" + mail.id + "@x>\r\n\r\n" + mail.body;
    rules::Facts facts;
    facts.bytes = message.size();
    if (mail.looked_at) {
      Settings settings;
      settings.counters = options_;
      ViewPlan plan(settings);
      plan.add_counted();
      MessageView view(message, plan);
      view.hash(MessageView::Want::kPieces);
      facts.counters = count.look(view, matched_, TimePoint::max(), {});
    }
    const rules::Verdict verdict = rules::judge(facts, {}, FailurePolicy::kAccept);
    count.add(facts, verdict, message, mail.put_off);
    count.end();
  }
  /// The counts of ten minutes, by name.
  std::map<std::string, std::uint64_t> counts(const CounterKey& key) {
    std::map<std::string, std::uint64_t> out;
    const auto entries = store_->series(key, TimePoint::max());
    EXPECT_TRUE(entries.has_value());
    for (const auto& entry : *entries) {
      for (std::size_t m = 0; m < storage::counters::kMeasures; ++m) {
        if (entry.amounts.counts[m] == 0) continue;
        out[to_string(CountName{key, static_cast<Measure>(m), entry.period})] =
            entry.amounts.counts[m];
      }
    }
    return out;
  }
  std::uint64_t sum(PieceType type, std::string_view piece, Measure measure) {
    const auto key = counter_of(kSite, Direction::kIn, type, piece);
    const storage::counters::Window day{Period::Unit::kDay, 1, 0};
    const auto answers = store_->ask(std::span(&key, 1), std::span(&day, 1), TimePoint::max());
    EXPECT_TRUE(answers.known[0]);
    return answers.of(0, 0).of(measure);
  }

  shingled::testing::ManualClock clock_;
  shingled::testing::SeededRandom random_{1};
  shingled::testing::TemporaryDirectory folder_;
  NullLogger logger_;
  CountingState state_;
  CounterOptions options_;
  std::vector<mime::Piece> matched_;
  std::shared_ptr<storage::counters::CounterStore> store_;
  std::shared_ptr<const MessageCounter> counter_;
};

// The example of the specification: user 71 writes twice to the same recipient, once to another.
TEST_F(MessageCountTest, CountsTheExampleOfTheDocument) {
  use_embedded();
  const std::string user = "71@example.org";
  for (const char* recipient : {"<95@example.org>", "<95@example.org>", "<96@example.org>"}) {
    count({.sender = '<' + user + '>', .recipients = {recipient}});
  }
  const std::string slot = std::to_string(store_->present_slot());
  const auto name = [&](const char* measure, const CounterKey& key, int type) {
    char shingle[17];
    std::snprintf(shingle, sizeof shingle, "%016llx", static_cast<unsigned long long>(key.shingle));
    return std::string(measure) + "_in_" + shingle + '_' + std::to_string(type) + "_10m_" + slot;
  };
  const auto first =
      pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, user, "95@example.org");
  const auto second =
      pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, user, "96@example.org");
  EXPECT_EQ(counts(first.key)[name("mass", first.key, 30)], 2U);
  EXPECT_EQ(counts(second.key)[name("mass", second.key, 30)], 1U);
  const CounterKey unique = first.unique_key();
  EXPECT_EQ(unique, second.unique_key());
  EXPECT_EQ(counts(unique)[name("mass", unique, 31)], 2U);
}

TEST_F(MessageCountTest, CountsMassRecipientsBytesAndHam) {
  use_embedded();
  count({.recipients = {"<c@d.example>", "<e@d.example>", "<c@d.example>"}});
  EXPECT_EQ(sum(PieceType::kLinkHost, "host.example.org", Measure::kMass), 1U);
  EXPECT_EQ(sum(PieceType::kLinkHost, "host.example.org", Measure::kRecipients), 2U);
  EXPECT_EQ(sum(PieceType::kLinkHost, "host.example.org", Measure::kHam), 1U);
  EXPECT_EQ(sum(PieceType::kLinkHost, "host.example.org", Measure::kSpam), 0U);
  EXPECT_GT(sum(PieceType::kLinkHost, "host.example.org", Measure::kBytes), 50U);
  EXPECT_EQ(sum(PieceType::kRecipient, "e@d.example", Measure::kMass), 1U);
  EXPECT_EQ(sum(PieceType::kHelo, "mx.b.example", Measure::kMass), 1U);
  EXPECT_EQ(state_.events.messages.read(), 1U);
}

TEST_F(MessageCountTest, CountsARetryOnce) {
  use_embedded();
  count({.id = "1", .put_off = true});
  count({.id = "1", .put_off = true});
  count({.recipients = {"<c@d.example>"}, .id = "1"});
  EXPECT_EQ(sum(PieceType::kSender, "a@b.example", Measure::kMass), 1U);
  EXPECT_EQ(state_.events.retries.read(), 2U);
  count({.id = "2"});
  EXPECT_EQ(sum(PieceType::kSender, "a@b.example", Measure::kMass), 2U);
  clock_.advance(std::chrono::hours(24));
  count({.id = "1"});
  EXPECT_EQ(state_.events.messages.read(), 3U);
}

TEST_F(MessageCountTest, CountsTheRetryOfWhatCouldNotBeCounted) {
  const auto fake = std::make_shared<shingled::testing::FakeCounters>();
  use(fake);
  fake->fail(true);
  count({.put_off = true});
  fake->fail(false);
  count({});
  EXPECT_EQ(fake->additions().size(), 1U);
  EXPECT_EQ(state_.events.retries.read(), 0U);
}

TEST_F(MessageCountTest, CountsRefusedRecipientsWithoutAMessage) {
  use_embedded();
  count({.recipients = {}, .refused = 3, .looked_at = false});
  count({.recipients = {"<c@d.example>"}, .refused = 2});
  for (const auto& [type, piece] :
       std::map<PieceType, std::string>{{PieceType::kSender, "a@b.example"},
                                        {PieceType::kSenderDomain, "b.example"},
                                        {PieceType::kClient, "192.0.2.7"},
                                        {PieceType::kClientNetwork, "192.0.2.0/24"},
                                        {PieceType::kClientDomain, "example.net"},
                                        {PieceType::kHelo, "mx.b.example"}}) {
    EXPECT_EQ(sum(type, piece, Measure::kFailed), 5U) << piece;
    EXPECT_EQ(sum(type, piece, Measure::kMass), 1U) << piece;
    EXPECT_EQ(sum(type, piece, Measure::kRecipients), 1U) << piece;
  }
  EXPECT_EQ(sum(PieceType::kRecipient, "c@d.example", Measure::kFailed), 0U);
  EXPECT_EQ(sum(PieceType::kLinkHost, "host.example.org", Measure::kFailed), 0U);
  EXPECT_EQ(state_.events.refused_recipients.read(), 5U);
}

TEST_F(MessageCountTest, ManyPiecesDoNotHideWhatWasMatched) {
  options_.pieces.pieces_max = 3;
  matched_ = {{PieceType::kStoredHash, "5791f8cac2b7d8dd", ""}};
  use_embedded();
  count({});
  EXPECT_EQ(sum(PieceType::kStoredHash, "5791f8cac2b7d8dd", Measure::kMass), 1U);
  EXPECT_GT(state_.events.dropped.read(), 0U);
}

TEST_F(MessageCountTest, SeesAllRecipientsOfAUser) {
  options_.pieces.recipients_max = 2;
  options_.pieces.pieces_max = 20;
  use_embedded();
  Mail spray{.recipients = {}, .user = "Bob"};
  for (int i = 0; i < 100; ++i) spray.recipients.push_back("<" + std::to_string(i) + "@d.example>");
  spray.recipients.push_back("<7+tag@d.example>");
  count(spray);
  EXPECT_EQ(sum(PieceType::kUniqueUserRecipients, "bob", Measure::kMass), 100U);
  EXPECT_EQ(sum(PieceType::kRecipient, "3@d.example", Measure::kMass), 0U);
}

TEST_F(MessageCountTest, HasABoundOfRecipients) {
  options_.pieces.recipients_max = 2;
  use_embedded();
  count({.recipients = {"<1@d.example>", "<2@d.example>", "<3@d.example>", "<4@d.example>"}});
  EXPECT_EQ(sum(PieceType::kSender, "a@b.example", Measure::kRecipients), 4U);
  EXPECT_EQ(sum(PieceType::kRecipient, "2@d.example", Measure::kMass), 1U);
  EXPECT_EQ(sum(PieceType::kRecipient, "3@d.example", Measure::kMass), 0U);
  EXPECT_EQ(state_.events.dropped.read(), 2U);
}

}  // namespace
}  // namespace shingled::milter::judge
