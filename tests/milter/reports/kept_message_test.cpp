// Covers milter/reports/kept_message.cpp, milter/reports/kept_code.cpp: a report of what the
// history kept of a message is the report of the message.
#include "milter/reports/kept_message.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "milter/counters/counted_keys.h"
#include "milter/counters/message_origin.h"
#include "milter/reports/kept_code.h"
#include "mime/message/header_block.h"
#include "tests/milter/reports/desk.h"

namespace shingled::milter::reports {
namespace {

constexpr CounterKeyBytes kSite{1, 2, 3};

/// All mail of tests/data/pieces.json and of the seeds of the fuzz targets.
std::vector<std::string> stored_mail() {
  std::vector<std::string> out;
  std::ifstream in(SHINGLED_SOURCE_DIR "/tests/data/pieces.json");
  for (const nlohmann::json& vector : nlohmann::json::parse(in)) {
    std::string& message = out.emplace_back();
    for (const auto& line : vector.at("message")) message += line.get<std::string>() + "\r\n";
  }
  for (const char* folder : {"fuzz_mime", "fuzz_message_scan"}) {
    const std::filesystem::path path = SHINGLED_SOURCE_DIR "/tests/fuzz/seeds";
    for (const auto& entry : std::filesystem::directory_iterator(path / folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  return out;
}

/// As those of a client in milter.local_networks are counted, which a mailbox does not tell.
constexpr storage::counters::Direction kCounted = storage::counters::Direction::kOut;

/// As the milter keeps a message.
KeptMessage keep(const std::string& bytes, const counters::Envelope& envelope,
                 const Settings& settings) {
  judge::ViewPlan plan(settings);
  const auto rules = taught_rules(settings, plan);
  plan.add_counted();
  judge::MessageView view(bytes, plan);
  view.hash(judge::MessageView::Want::kPieces);
  const auto pieces = view.pieces(envelope).pieces;
  const auto keys = counters::keys_of(kSite, kCounted, pieces);
  return kept_message(view, pieces, keys, envelope, kSite, rules);
}

/// Of a delivered message.
counters::Envelope envelope_in(const std::string& bytes) {
  const auto header = mime::split_header_block(bytes, MimeOptions{});
  return counters::origin_of(header.fields, {}).envelope;
}

ReportedMessage reported(const KeptMessage& kept, const std::string& address,
                         const Settings& settings) {
  const std::uint64_t own = piece_shingle(kSite, PieceType::kRecipient, address);
  return reported_message(kept, {&own, 1}, taught_rules(settings).rules);
}

TEST(KeptMessage, IsReportedAsTheMessageItself) {
  Settings settings;
  settings.milter.local_networks.clear();
  settings.counters.pieces.authserv_ids = {"mx.example.org"};
  settings.reports.ham_also = "white";
  const auto taught = taught_rules(settings);
  std::vector<std::string> all = stored_mail();
  ASSERT_GE(all.size(), 40U);
  all.push_back(mail(1));
  all.push_back("Return-Path: <ann@example.org>\r\nDelivered-To: bob@example.net\r\n" + mail(2));
  for (const std::string& bytes : all) {
    const KeptMessage kept = keep(bytes, envelope_in(bytes), settings);
    const auto read = decode_kept(encode_kept(kept, kSite), kSite);
    ASSERT_TRUE(read) << read.error().message << bytes;
    EXPECT_EQ(*read, kept) << bytes;
    const ReportedMessage of_row = reported(*read, "nobody@example.net", settings);
    const ReportedMessage of_mail = read_reported(bytes, kSite, taught);
    EXPECT_EQ(of_row.name, of_mail.name) << bytes;
    EXPECT_EQ(of_row.keys, of_mail.keys) << bytes;
    EXPECT_EQ(of_row.hashes, of_mail.hashes) << bytes;
    EXPECT_EQ(of_row, of_mail) << bytes;
  }
}

TEST(KeptMessage, IsThatOfTheRecipientWhoReportsIt) {
  const Settings settings;
  const std::string bytes = mail(1);
  counters::Envelope envelope;
  envelope.sender = "<ann@example.org>";
  envelope.recipients = {"<bob@example.net>", "<joe@example.net>"};
  envelope.country = "DE";
  const KeptMessage kept = keep(bytes, envelope, settings);
  ASSERT_EQ(kept.recipients.size(), 2U);
  for (const char* recipient : {"bob@example.net", "joe@example.net"}) {
    const std::string copy =
        "Return-Path: <ann@example.org>\r\nDelivered-To: " + std::string(recipient) +
        "\r\nReceived: by mx.example.net (Postfix); Thu, 1 Jan 2026 00:00:00 +0000\r\n" + bytes;
    EXPECT_EQ(reported(kept, recipient, settings).keys,
              read_reported(copy, kSite, taught_rules(settings)).keys)
        << recipient;
  }
  const ReportedMessage of_nobody = reported(kept, "postmaster@example.net", settings);
  EXPECT_EQ(of_nobody.keys, kept.message.keys) << "several got it, and none of them says so";
}

TEST(KeptMessage, ABounceIsKnownByItsEnvelope) {
  const Settings settings;
  const std::string answer = "Auto-Submitted: auto-replied\r\nIn-Reply-To: <a@b>\r\n" + mail(1);
  counters::Envelope envelope;
  envelope.sender = "<>";
  EXPECT_FALSE(keep(answer, envelope, settings).message.not_taught.empty());
  envelope.sender = "<ann@example.org>";
  EXPECT_TRUE(keep(answer, envelope, settings).message.not_taught.empty());
}

TEST(KeptMessage, ListsAreThoseOfToday) {
  Settings settings;
  const KeptMessage kept = keep(mail(1), {}, settings);
  ASSERT_FALSE(kept.message.hashes.empty());
  settings.reports.spam.weight = 3;
  EXPECT_EQ(reported(kept, "", settings), read_reported(mail(1), kSite, taught_rules(settings)));
  settings.rules[0].read_only = true;
  EXPECT_TRUE(reported(kept, "", settings).hashes.empty());
}

TEST(KeptCode, RefusesWhatIsNotWhole) {
  const Bytes bytes = encode_kept(keep(mail(1), {}, Settings()), kSite);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_FALSE(decode_kept(BytesView(bytes).first(cut), kSite)) << cut;
  Bytes more = bytes;
  more.push_back(0);
  EXPECT_FALSE(decode_kept(more, kSite));
  more = bytes;
  more[0] = kKeptCodeVersion + 1;
  EXPECT_EQ(decode_kept(more, kSite).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(decode_kept(bytes, {9}).error().code, ErrorCode::kInvalid) << "another key";
}

/// Any value that the code can hold.
KeptMessage any_kept() {
  const auto number = [] { return *rc::gen::arbitrary<std::uint64_t>(); };
  const auto direction = [] {
    return static_cast<storage::counters::Direction>(*rc::gen::inRange(0, 2));
  };
  const auto keys = [&] {
    std::vector<storage::counters::Pair> out(*rc::gen::inRange<std::size_t>(0, 5));
    for (auto& key : out) {
      const auto types = piece_types();
      key.key = {number(), types[*rc::gen::inRange<std::size_t>(0, types.size())].type,
                 direction()};
      key.unique = is_pair(key.key.type) ? number() : 0;
    }
    return out;
  };
  const auto digest = [] {
    Digest out;
    for (auto& byte : out.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
    return out;
  };
  KeptMessage out;
  out.message.name = number();
  out.message.history_id = number();
  out.message.direction = direction();
  out.message.not_taught = *rc::gen::arbitrary<std::string>();
  out.message.keys = keys();
  out.recipients.resize(*rc::gen::inRange<std::size_t>(0, 3));
  for (auto& recipient : out.recipients) recipient = {number(), keys()};
  out.message.hashes.resize(*rc::gen::inRange<std::size_t>(0, 4));
  for (std::size_t i = 0; i < out.message.hashes.size(); ++i) {
    storage::sqlite::ReportedHash& hash = out.message.hashes[i];
    hash.flag = *rc::gen::arbitrary<std::uint32_t>();
    hash.per_spam = *rc::gen::arbitrary<std::int32_t>();
    hash.per_ham = *rc::gen::arbitrary<std::int32_t>();
    if (i > 0 && *rc::gen::arbitrary<bool>()) {
      hash.fingerprint = out.message.hashes[i - 1].fingerprint;
      continue;
    }
    hash.fingerprint.digest = digest();
    if (!*rc::gen::arbitrary<bool>()) continue;
    for (auto& slot : hash.fingerprint.shingles.emplace()) slot = number();
  }
  if (*rc::gen::arbitrary<bool>()) out.message.files.insert(digest());
  return out;
}

RC_GTEST_PROP(KeptCode, ReadsWhatItWrote, ()) {
  const KeptMessage kept = any_kept();
  const auto read = decode_kept(encode_kept(kept, kSite), kSite);
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(*read == kept);
}

struct KeptAtTheDesk : Desk {
  /// Reports what was kept of a message.
  ReportReceipt report(ReportKind kind, const std::string& who, const std::string& message) {
    judge::ViewPlan plan(settings);
    const auto rules = taught_rules(settings, plan);
    plan.add_counted();
    judge::MessageView view(message, plan);
    view.hash(judge::MessageView::Want::kPieces);
    const counters::Envelope envelope = envelope_in(message);
    const auto pieces = view.pieces(envelope).pieces;
    const auto keys = counters::keys_of(kTestSite, kCounted, pieces);
    const KeptMessage kept = kept_message(view, pieces, keys, envelope, kTestSite, rules);
    const auto receipt = desk->take({.kind = kind, .reporter = who, .message = {}, .kept = &kept});
    if (!receipt) ADD_FAILURE() << receipt.error().message;
    return receipt ? *receipt : ReportReceipt{};
  }
};

TEST_F(KeptAtTheDesk, HasTheSameEffect) {
  settings.reports.trusted_reporters = {"postmaster"};
  desk->use(std::make_shared<const Settings>(settings));
  const ReportReceipt of_mail = spam("postmaster", mail(1));
  ASSERT_GT(of_mail.changed, 0U);
  const auto additions = counters->additions();
  const auto told = labels;

  // The same for a desk that knows nothing yet.
  testing::FakeStore other;
  counters = std::make_shared<testing::FakeCounters>();
  labels.clear();
  settings.reports.file = directory.file("other.db");
  desk = std::make_unique<ReportDesk>(clock, random, logger);
  desk->connect(
      {.store = &other,
       .counters = [this] { return counters; },
       .site = [] { return std::optional(kTestSite); },
       .label = [this](std::uint64_t message,
                       std::optional<ReportKind> label) { labels.emplace_back(message, label); }});
  desk->use(std::make_shared<const Settings>(settings));
  const ReportReceipt of_row = report(ReportKind::kSpam, "postmaster", mail(1));
  EXPECT_EQ(of_row.what, of_mail.what);
  EXPECT_EQ(of_row.hashes, of_mail.hashes);
  EXPECT_EQ(of_row.changed, of_mail.changed);
  EXPECT_EQ(of_row.counted, of_mail.counted);
  EXPECT_EQ(counters->additions(), additions);
  EXPECT_EQ(labels, told);
  const auto hashes = read_reported(mail(1), kTestSite, taught_rules(settings)).hashes;
  EXPECT_EQ(*stored_weights(other, hashes, 0), *stored_weights(store, hashes, 0));
}

TEST_F(KeptAtTheDesk, IsTheSameMessageAsTheMailOfOnePerson) {
  spam("ann", mail(1));
  EXPECT_EQ(report(ReportKind::kSpam, "ann", mail(1)).what, What::kSame);
  EXPECT_EQ(report(ReportKind::kHam, "ann", mail(1)).what, What::kTurned);
  EXPECT_EQ(spam("ann", mail(1)).what, What::kTurned);
}

}  // namespace
}  // namespace shingled::milter::reports
