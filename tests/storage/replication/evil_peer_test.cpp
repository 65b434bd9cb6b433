// Covers storage/replication/forget_store.cpp, the takebacks of storage/sqlite/hashes/journal.cpp.
// Peers with a valid key that send any message of the protocol: a master that uses another master's
// name or sends messages in a wrong order, and a mirror that does so. In memory, from seeds, no
// waits.
#include <array>
#include <cstdlib>
#include <utility>

#include "storage/formats/verify.h"
#include "storage/replication/forget_store.h"
#include "tests/storage/replication/random_messages.h"
#include "tests/storage/replication/replica_world.h"

namespace shingled::storage::replication {
namespace {

constexpr std::uint64_t kSeeds = 40;
constexpr int kSentences = 60;
constexpr int kWorkMost = 100'000;

/// SHINGLED_EVIL_SEEDS=N tries more seeds.
std::uint64_t seeds() {
  const char* const wanted = std::getenv("SHINGLED_EVIL_SEEDS");
  return wanted == nullptr ? kSeeds : std::strtoull(wanted, nullptr, 10);
}

/// A liar at one end, an honest session at the other.
template <typename Session>
class Conversation {
 public:
  Conversation(SecureChannel liar, std::unique_ptr<Session> session)
      : liar_(std::move(liar)), session_(std::move(session)) {
    pump();
  }

  void say(const Message& message) { say(encode_message(message)); }
  void say(BytesView bytes) {
    if (over()) return;
    liar_.send(bytes);
    pump();
  }
  [[nodiscard]] bool over() const { return !failure_.empty(); }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::vector<Message>& heard() const { return heard_; }
  [[nodiscard]] std::size_t most_output() const { return most_output_; }

 private:
  void pump() {
    for (int still = 0; still < 3 && !over(); ++still) {
      give(std::exchange(liar_.output(), {}));
      if constexpr (std::is_same_v<Session, MirrorSession>) {
        if (!over() && session_->master() && !session_->has_begun()) note(session_->begin());
      }
      bool more = true;
      for (int i = 0; i < kWorkMost && more && !over(); ++i) {
        const auto worked = session_->work();
        more = worked && *worked;
        if (!worked) note(worked.error());
      }
      take(std::exchange(session_->output(), {}));
    }
  }
  void give(const Bytes& bytes) {
    if (!bytes.empty()) note(session_->receive(bytes));
  }
  void take(const Bytes& bytes) {
    most_output_ = std::max(most_output_, bytes.size());
    BytesView left(bytes);
    while (!left.empty()) {
      const auto taken = liar_.take(left);
      ASSERT_TRUE(taken) << taken.error().message;
      left = left.subspan(*taken);
      for (;;) {
        const auto message = liar_.next();
        ASSERT_TRUE(message) << message.error().message;
        if (!*message) break;
        const auto decoded = decode_message(**message);
        ASSERT_TRUE(decoded);
        heard_.push_back(*decoded);
      }
    }
  }
  void note(const Status& outcome) {
    if (!outcome) failure_ = outcome.error().message;
  }

  SecureChannel liar_;
  std::unique_ptr<Session> session_;
  std::vector<Message> heard_;
  std::size_t most_output_ = 0;
  std::string failure_;
};

class EvilPeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 30; ++i) {
      texts_.push_back(engine::random_fingerprint(random_));
      honest_.apply({.flag = 1, .value = 50, .fingerprint = texts_.back(), .source = 7});
      if (i % 3 == 0) mirror_.apply({.flag = 2, .value = 9, .fingerprint = texts_.back()});
    }
    follow();
    theirs_ = parts_of_honest();
    ASSERT_EQ(theirs_.size(), texts_.size());
    position_ = *mirror_.reader->position_of(honest_.id);
    ASSERT_TRUE(position_);
  }

  Conversation<MirrorSession> call_mirror(const Keypair& keys) {
    return {
        SecureChannel::call(keys, mirror_.keys.public_key, bits_),
        std::make_unique<MirrorSession>(
            *mirror_.reader,
            [this](ReplicaBatch batch, const UpdateDone& done) {
              mirror_.submit(std::move(batch), done);
            },
            SecureChannel::answer(mirror_.keys, {honest_.keys.public_key, evil_.public_key}, bits_),
            bits_, [] {})};
  }
  void follow() {
    link_.connect();
    link_.run();
    EXPECT_EQ(link_.failure(), "");
    link_.cut();
  }
  std::vector<PartRecord> parts_of_honest() {
    const auto slice = mirror_.reader->parts_of(honest_.id, 0, 10'000);
    EXPECT_TRUE(slice);
    return slice ? slice->records : std::vector<PartRecord>();
  }
  void expect_the_honest_untouched() {
    EXPECT_EQ(parts_of_honest(), theirs_);
    EXPECT_EQ(*mirror_.reader->position_of(honest_.id), position_);
  }
  std::size_t masters_known() {
    const auto known = mirror_.reader->stores();
    EXPECT_TRUE(known);
    return static_cast<std::size_t>(std::ranges::count_if(
        *known, [](const sqlite::ReplicaReader::Known& one) { return one.number != 0; }));
  }

  /// A record of any kind, about a text that all stores know.
  std::vector<ReplicaRecord> lies() {
    auto records = random_records(random_, random_() % 6);
    for (std::uint64_t i = random_() % 12; i > 0; --i) {
      const Digest& digest = texts_[random_() % texts_.size()].digest;
      const StoreId& owner = some_name();
      switch (random_() % 4) {
        case 0:
          records.emplace_back(PartRecord{digest, {}});
          break;
        case 1:
          records.emplace_back(Takeback{digest, owner, static_cast<std::uint32_t>(random_() % 3),
                                        clock_.unix_seconds()});
          break;
        case 2:
          records.emplace_back(
              TakebackAnswer{digest, owner, static_cast<std::uint32_t>(random_() % 3)});
          break;
        default:
          records.emplace_back(PartRecord{digest, heavy()});
      }
    }
    return records;
  }
  Part heavy() {
    Part part = random_part(random_, 1 + random_() % kFlagsMax, random_() % 2 == 0);
    part.flags.add({1, -1000});
    part.updated = clock_.unix_seconds();
    part.created = part.updated - static_cast<std::uint32_t>(random_() % 1000);
    return part;
  }
  const StoreId& some_name() {
    const std::array<const StoreId*, 4> names{&honest_.id, &mirror_.id, &evil_id_, &other_id_};
    return *names.at(random_() % names.size());
  }
  Message anything() {
    const auto all = one_of_each(random_);
    switch (random_() % 8) {
      case 0:
        return Greeting{some_name()};
      case 1:
        return RangesDiffer{std::vector<std::uint8_t>(kRanges / 8, 0xff)};
      case 2:
        return RangeRecords{lies()};
      case 3:
        return JournalRecords{*position_, lies()};
      case 4:
        return RangesDone{*position_};
      case 5:
        return CompareRanges{};
      default:
        return all[random_() % all.size()];
    }
  }
  /// The next message of a master that begins well and then lies.
  void plausible(Conversation<MirrorSession>& call) {
    if (random_() % 2 == 0) return call.say(JournalRecords{{random_(), random_() % 100}, lies()});
    call.say(CompareRanges{{1}});
    call.say(RangesDiffer{std::vector<std::uint8_t>(kRanges / 8, 0xff)});
    for (std::uint64_t i = random_() % 3; i > 0; --i) call.say(RangeRecords{lies()});
    call.say(RangesDone{{1 + random_(), random_() % 100}});
  }

  engine::Seeded random_{20'270'117};
  shingled::testing::SeededRandom bits_{20'270'117};
  shingled::testing::ManualClock clock_;
  ReplicaStore honest_{clock_, bits_, 1000};
  ReplicaStore mirror_{clock_, bits_, 1000};
  MemoryLink link_{honest_, mirror_, bits_};
  const Keypair evil_ = crypto::generate_keypair(bits_);
  const StoreId evil_id_{0xe7, 1};
  const StoreId other_id_{0xe7, 2};
  std::vector<Fingerprint> texts_;
  std::vector<PartRecord> theirs_;
  std::optional<JournalPosition> position_;
};

TEST_F(EvilPeerTest, NobodyCanUseTheNameOfAnotherMaster) {
  auto call = call_mirror(evil_);
  call.say(Greeting{honest_.id});
  EXPECT_TRUE(call.over());
  EXPECT_NE(call.failure().find("another master"), std::string::npos) << call.failure();
  EXPECT_TRUE(call.heard().empty()) << "era and position are not told";
  std::vector<ReplicaRecord> gone;
  for (const Fingerprint& text : texts_) gone.emplace_back(PartRecord{text.digest, {}});
  call.say(JournalRecords{{position_->era, position_->number + 1}, gone});
  expect_the_honest_untouched();
}

TEST_F(EvilPeerTest, TheWriterRefusesAFalseNameThatASessionLetPass) {
  Status outcome;
  ReplicaBatch batch;
  batch.master = honest_.id;
  batch.key = evil_.public_key;
  batch.records = {PartRecord{texts_[0].digest, {}}};
  mirror_.submit(std::move(batch), [&](const Status& told) { outcome = told; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kDenied);
  expect_the_honest_untouched();
}

TEST_F(EvilPeerTest, AKeyHasOneNameHoweverManyItSends) {
  for (int i = 0; i < 200; ++i) {
    auto call = call_mirror(evil_);
    call.say(Greeting{random_store(random_)});
    EXPECT_EQ(call.failure(), "");
    call.say(RangesDone{{1, 1}});
  }
  EXPECT_EQ(masters_known(), 2U);
  expect_the_honest_untouched();
}

TEST_F(EvilPeerTest, AReinstalledMasterTakesThePlaceOfTheOldOne) {
  ReplicaStore anew(clock_, bits_, 1000);
  anew.keys = honest_.keys;
  for (int i = 0; i < 5; ++i) anew.apply({.flag = 1, .value = 3, .fingerprint = texts_[0]});
  MemoryLink link(anew, mirror_, bits_);
  link.connect();
  link.run();
  EXPECT_EQ(link.failure(), "");
  EXPECT_EQ(masters_known(), 1U);
  EXPECT_TRUE(parts_of_honest().empty());
  const auto slice = mirror_.reader->parts_of(anew.id, 0, 10'000);
  ASSERT_TRUE(slice);
  ASSERT_EQ(slice->records.size(), 1U) << "the parts that only the old master had are deleted";
  EXPECT_EQ(slice->records[0].part.flags.front().value, 15);
  EXPECT_EQ(mirror_.engine->size(), 10U) << "the mirror's own parts stay";
}

TEST_F(EvilPeerTest, AnOldFileWithoutKeysLearnsThemFromItsMasters) {
  mirror_.reader.reset();
  mirror_.engine.reset();
  {
    auto file =
        sqlite::Database::open(mirror_.options.hashfile, sqlite::Database::Access::kReadWrite);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(
        (*file)->execute("DROP TABLE store_keys; DROP TABLE sealed_updates;"
                         "ALTER TABLE digests DROP COLUMN companion;"
                         "PRAGMA user_version = 3"));
  }
  mirror_.open();
  auto own = call_mirror(evil_);
  own.say(Greeting{evil_id_});
  EXPECT_EQ(own.failure(), "");
  auto false_name = call_mirror(evil_);
  false_name.say(Greeting{honest_.id});
  EXPECT_TRUE(false_name.over()) << "a key that has a name cannot take another known one";
  follow();
  expect_the_honest_untouched();
  const auto known = mirror_.reader->stores();
  ASSERT_TRUE(known);
  for (const sqlite::ReplicaReader::Known& store : *known) {
    EXPECT_EQ(store.key.has_value(), store.number != 0);
  }
}

TEST_F(EvilPeerTest, AForgottenStoreLosesItsPartsAndMayComeAgain) {
  const auto before = mirror_.contents();
  const auto gone = forget_store(*mirror_.engine, *mirror_.reader, honest_.id);
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_EQ(*gone, texts_.size());
  EXPECT_EQ(masters_known(), 0U);
  EXPECT_EQ(mirror_.engine->size(), 10U) << "the parts that the mirror was taught itself";
  EXPECT_FALSE(forget_store(*mirror_.engine, *mirror_.reader, honest_.id)) << "not known any more";
  follow();
  EXPECT_EQ(mirror_.contents(), before);
  EXPECT_EQ(masters_known(), 1U);
}

TEST_F(EvilPeerTest, ALyingMasterAffectsNobodyElse) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_.seed(seed);
    auto call = call_mirror(evil_);
    if (random_() % 8 != 0) call.say(Greeting{random_() % 4 == 0 ? other_id_ : evil_id_});
    for (int i = 0; i < kSentences && !call.over(); ++i) {
      if (random_() % 4 != 0) {
        plausible(call);
      } else if (random_() % 4 != 0) {
        call.say(anything());
      } else {
        Bytes noise = encode_message(anything());
        noise.resize(random_() % (noise.size() + 1));
        if (!noise.empty()) noise[random_() % noise.size()] ^= 0x41;
        call.say(BytesView(noise));
      }
    }
    expect_the_honest_untouched();
    EXPECT_LE(masters_known(), 2U);
    if (HasFailure()) return;
  }
  honest_.apply({.flag = 1, .value = 2, .fingerprint = texts_[0], .source = 7});
  follow();
  const auto own = honest_.reader->own_parts(0, 10'000);
  ASSERT_TRUE(own);
  auto there = parts_of_honest();
  auto here = own->records;
  std::ranges::sort(there, {}, &PartRecord::digest);
  std::ranges::sort(here, {}, &PartRecord::digest);
  EXPECT_EQ(there, here) << "the honest master goes on at its position";
}

TEST_F(EvilPeerTest, ALyingMirrorChangesNothing) {
  const Contents before = honest_.contents();
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_.seed(seed);
    Conversation<MasterSession> call(
        SecureChannel::answer(evil_, {honest_.keys.public_key}, bits_),
        std::make_unique<MasterSession>(honest_.id, *honest_.reader,
                                        SecureChannel::call(honest_.keys, evil_.public_key, bits_),
                                        bits_));
    if (random_() % 2 == 0) {
      call.say(Resume{some_name(), JournalPosition{random_(), random_()}});
    } else {
      call.say(Resume{evil_id_, std::nullopt});
    }
    for (int i = 0; i < kSentences && !call.over(); ++i) {
      if (random_() % 2 == 0) {
        const auto first = static_cast<std::uint32_t>(i) * kRangesPerMessage % kRanges;
        call.say(RangeSums{static_cast<std::uint32_t>(first),
                           std::vector<std::uint64_t>(kRangesPerMessage, random_())});
      } else if (random_() % 2 == 0) {
        call.say(Committed{random_() % 10});
      } else {
        call.say(anything());
      }
    }
    EXPECT_LT(call.most_output(), kOutputBytesMax + 2 * kMessageBytesMax);
    if (HasFailure()) return;
  }
  EXPECT_EQ(honest_.contents(), before);
  const auto report = formats::verify_file(honest_.options.hashfile, {.now = clock_.unix_seconds()},
                                           [](const WorkDone&) { return true; });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->problem_count, 0U);
}

}  // namespace
}  // namespace shingled::storage::replication
