// Law of milter/history/row_code.h: what is written is read again, and other bytes are an error.
// The bytes are those of SCHEMA.md.
#include "milter/history/row_code.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/milter/history/any_record.h"

namespace shingled::milter::history {
namespace {

using storage::counters::Measure;
using storage::counters::Period;
using testing::any_record;

MessageRecord decoded(BytesView bytes) {
  MessageRecord record;
  const Status done = decode_record(bytes, record);
  EXPECT_TRUE(done) << done.error().message;
  return record;
}

RC_GTEST_PROP(RowCode, GivesBackWhatItWasGiven, ()) {
  const MessageRecord record = any_record();
  MessageRecord read = any_record();  // what was there before does not matter
  RC_ASSERT(decode_record(encode_record(record), read).has_value());
  RC_ASSERT(read == record);
}

RC_GTEST_PROP(RowCode, ABeginningIsNoRecord, ()) {
  Bytes bytes = encode_record(any_record());
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  MessageRecord read;
  RC_ASSERT(!decode_record(bytes, read));
}

RC_GTEST_PROP(RowCode, ChangedBytesAreAnErrorOrAnotherRecord, ()) {
  Bytes bytes = encode_record(any_record());
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<std::uint8_t>();
  }
  MessageRecord read;
  if (!decode_record(bytes, read)) return;
  MessageRecord again;
  RC_ASSERT(decode_record(encode_record(read), again).has_value());
}

TEST(RowCode, SaysWhatIsNewer) {
  Bytes bytes = encode_record({});
  bytes[0] = kRowCodeVersion + 1;
  MessageRecord read;
  const Status done = decode_record(bytes, read);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(done.error().message, "a row of a newer version");
  bytes[0] = 0;
  EXPECT_EQ(decode_record(bytes, read).error().code, ErrorCode::kCorrupt);
  bytes = encode_record({});
  bytes.push_back(0);
  EXPECT_EQ(decode_record(bytes, read).error().code, ErrorCode::kCorrupt) << "there is too much";
}

TEST(RowCode, LeavesOutWhatExceedsItsBounds) {
  MessageRecord record;
  record.windows.assign(kWindowsMax + 1, {Period::Unit::kDay, 1, 0});
  record.pieces.resize(kPiecesMax + 1);
  record.sums.resize(record.pieces.size() * record.windows.size());
  record.evidence.resize(kEvidenceMax + 1);
  record.evidence[0].symbol = std::string(1000, 'X');
  record.score = std::numeric_limits<double>::quiet_NaN();
  record.features.set_word(features::Feature::kLanguage, std::string(1000, 'x'));
  const MessageRecord read = decoded(encode_record(record));
  EXPECT_EQ(read.windows.size(), kWindowsMax);
  EXPECT_EQ(read.pieces.size(), kPiecesMax);
  EXPECT_EQ(read.sums.size(), kPiecesMax * kWindowsMax);
  EXPECT_EQ(read.evidence.size(), kEvidenceMax);
  EXPECT_EQ(read.evidence[0].symbol.size(), kWordBytesMax);
  EXPECT_EQ(read.score, 0);
  EXPECT_EQ(read.features.word(features::Feature::kLanguage).size(), kWordBytesMax);
}

TEST(RowCode, HasTheFormOfTheSchema) {
  using Effect = rules::Evidence::Effect;
  MessageRecord record;
  record.failed = record.dry_run = record.left_out = true;
  record.score = 1.5;
  record.features.set_number(features::Feature::kBytes, 300);
  record.features.set_yes(features::Feature::kHtml, true);
  record.features.set_word(features::Feature::kSpf, "fail");
  record.windows = {{Period::Unit::kSlot, 6, 0}, {Period::Unit::kDay, 14, 1}};
  record.pieces = {{PieceType::kSender, 0x04030201, true}, {PieceType::kSender, 0x08070605, false}};
  record.sums.resize(4);
  record.sums[1].of(Measure::kMass) = 12;
  record.sums[1].of(Measure::kFailed) = 1;
  record.evidence = {{"A", 0, Effect::kCounts, false},
                     {"B", 0, Effect::kSpared, false},
                     {"C", 0, Effect::kDropped, true},
                     {"D", -2, Effect::kTried, true}};
  const Bytes bytes = {2, 25, 0,                                   // version, flags, recipients
                       0, 0,  0,    0,    0,    0,    0xF8, 0x3F,  // score
                       3, 0,  0xAC, 0x02, 16,   1,    27,   4,    'f', 'a', 'i', 'l',  // features
                       2, 12, 0,    29,   1,                                           // windows
                       1, 10, 2,                                // pieces: a group
                       1, 2,  3,    4,    0x11, 0x81, 12,   1,  //   known, a window given
                       5, 6,  7,    8,    0,                    //   unknown
                       4,                                       // evidence
                       0, 1,  'A',  0,    0,    0,    0,    0,    0,   0,   0,  //
                       2, 1,  'B',  0,    0,    0,    0,    0,    0,   0,   0,  //
                       5, 1,  'C',  0,    0,    0,    0,    0,    0,   0,   0,  //
                       7, 1,  'D',  0,    0,    0,    0,    0,    0,   0,   0xC0};
  EXPECT_EQ(encode_record(record), bytes);
  EXPECT_EQ(decoded(bytes), record);
  // Version 1 had no recipients.
  Bytes old = bytes;
  old[0] = 1;
  old.erase(old.begin() + 2);
  EXPECT_EQ(decoded(old), record);
}

TEST(RowCode, AFeatureOfANewerProgramIsLeftOut) {
  // Version, flags, recipients, score, one feature: number 100 with the value 7; no windows,
  // pieces, evidence.
  const Bytes bytes = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xC8, 0x01, 7, 0, 0, 0};
  EXPECT_EQ(decoded(bytes), MessageRecord{});
}

TEST(RowCode, IsShort) {
  MessageRecord record;
  record.windows = {
      {Period::Unit::kSlot, 6, 0}, {Period::Unit::kDay, 1, 0}, {Period::Unit::kDay, 14, 0}};
  for (unsigned i = 0; i < 30; ++i) {
    record.pieces.push_back({static_cast<PieceType>(8 + i), 0xDEADBEEF, true});
    features::Sums amounts;
    if (i % 2 == 0) {  // seen before
      amounts.of(Measure::kMass) = 12;
      amounts.of(Measure::kBytes) = 120'000;
    }
    for (int w = 0; w < 3; ++w) record.sums.push_back(amounts);
  }
  EXPECT_LT(encode_record(record).size(), 320U);
}

}  // namespace
}  // namespace shingled::milter::history
