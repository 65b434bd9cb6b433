// Covers storage/access/access_reloader.cpp.
#include "storage/access/access_reloader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "storage/crypto/keypair.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SeededRandom;

constexpr Moment kMoment{TimePoint(hours(1)), WallTime(seconds(1'700'000'000))};

class KeptLines final : public Logger {
 public:
  void write(LogLevel, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> lines;
};

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

std::string secret_text(const Keypair& pair) {
  return to_zbase32({pair.secret_key.reveal(), SecretKey::size()});
}

std::string json(const Keypair& pair, const std::string& more = "") {
  return "{\"pubkey\": \"" + to_zbase32(pair.public_key) + "\", \"privkey\": \"" +
         secret_text(pair) + "\"" + more + "}";
}

class AccessReloaderTest : public ::testing::Test {
 protected:
  /// Writes a file as an editor does: a new file replaces the old one.
  std::string write(const char* name, const std::string& text, mode_t mode = 0600) const {
    const std::string path = directory_.file(name);
    const std::string fresh = path + ".new";
    std::ofstream(fresh) << text;
    ::chmod(fresh.c_str(), mode);
    std::filesystem::rename(fresh, path);
    return path;
  }
  void open() {
    auto reloader = AccessReloader::open(options_, random_, log_);
    ASSERT_TRUE(reloader) << reloader.error().message;
    reloader_ = *std::move(reloader);
  }
  [[nodiscard]] const Access& access() const { return *reloader_->access(); }
  [[nodiscard]] bool opens(const Keypair& pair) const {
    const Keypair* found = access().keyring().find(crypto::key_id(pair.public_key));
    return found != nullptr && found->public_key == pair.public_key;
  }

  shingled::testing::TemporaryDirectory directory_;
  SeededRandom random_{11};
  KeptLines log_;
  ServerOptions options_;
  std::unique_ptr<AccessReloader> reloader_;
};

TEST_F(AccessReloaderTest, ReadsTheFilesOfEveryList) {
  const Keypair pair = crypto::generate_keypair(random_);
  const Keypair dynamic = crypto::generate_keypair(random_);
  const std::string digest(128, 'a');
  options_.files.blocked = {
      write("blocked", "# spammers\n203.0.113.0/24, 2001:db8::/32 # both\n\n")};
  options_.files.trusted = {write("trusted", "192.0.2.1\r\n")};
  options_.files.delay_whitelist = {write("patient", "192.0.2.2\n")};
  options_.files.ratelimit_whitelist = {write("heavy", "192.0.2.3\n")};
  options_.files.skip_hashes = {write("skip", digest + "\n")};
  options_.files.keypair = {write("keys.yaml", "- " + json(pair) + "\n")};
  options_.files.dynamic_keys_map = write("dynamic.json", "[" + json(dynamic) + "]");
  options_.blocked = {*Network::parse("198.51.100.1")};
  options_.delay = seconds(5);
  options_.ratelimit.rate = 1;
  options_.ratelimit.burst = 1;
  open();
  EXPECT_TRUE(access().is_blocked(ip("203.0.113.77")));
  EXPECT_TRUE(access().is_blocked(ip("2001:db8::1")));
  EXPECT_TRUE(access().is_blocked(ip("198.51.100.1"))) << "entries of the option itself count, too";
  EXPECT_TRUE(access().is_trusted(ip("192.0.2.1")));
  EXPECT_EQ(access().visibility_for(ip("192.0.2.2"), nullptr).delay, seconds(0));
  EXPECT_EQ(access().visibility_for(ip("192.0.2.4"), nullptr).delay, seconds(5));
  for (int i = 0; i < 9; ++i)
    EXPECT_TRUE(access().sources().admit(ip("192.0.2.3"), kMoment.steady));
  EXPECT_TRUE(access().is_skipped(Digest{[] {
    std::array<std::uint8_t, 64> bytes{};
    bytes.fill(0xaa);
    return bytes;
  }()}));
  EXPECT_TRUE(opens(pair));
  EXPECT_TRUE(opens(dynamic));

  options_.allow_update.clear();
  options_.files.allow_update_keys = {
      write("ids", to_zbase32(crypto::long_key_id(pair.public_key)))};
  open();
  EXPECT_TRUE(access().may_update(ip("192.0.2.9"), access().key(crypto::key_id(pair.public_key)),
                                  protocol::CommandCode::kDelete, kMoment.wall));
  options_.files.allow_update = {write("writers", "localhost\n")};
  open();
  EXPECT_TRUE(
      access().may_update(ip("127.3.2.1"), nullptr, protocol::CommandCode::kWrite, kMoment.wall));
  EXPECT_FALSE(access().may_update(ip("192.0.2.9"), access().key(crypto::key_id(pair.public_key)),
                                   protocol::CommandCode::kDelete, kMoment.wall));
  EXPECT_THAT(log_.lines, Contains(HasSubstr("fuzzy_key_rights_ignored")));
}

TEST_F(AccessReloaderTest, NoticesAChangedFile) {
  options_.files.blocked = {write("blocked", "203.0.113.1")};
  open();
  EXPECT_FALSE(reloader_->refresh()) << "nothing changed";
  const auto before = reloader_->access();
  write("blocked", "203.0.113.2");
  EXPECT_TRUE(reloader_->refresh());
  EXPECT_FALSE(access().is_blocked(ip("203.0.113.1"))) << "replaced, not added";
  EXPECT_TRUE(access().is_blocked(ip("203.0.113.2")));
  EXPECT_TRUE(before->is_blocked(ip("203.0.113.1")))
      << "the old rights are unchanged for their users";
  std::ofstream(directory_.file("blocked"), std::ios::app) << "\n203.0.113.3";  // in place
  EXPECT_TRUE(reloader_->refresh());
  EXPECT_TRUE(access().is_blocked(ip("203.0.113.3")));
  EXPECT_FALSE(reloader_->refresh());
}

TEST_F(AccessReloaderTest, ReplacesAllDynamicKeysAndKeepsThemWhenTheFileIsBroken) {
  const Keypair first = crypto::generate_keypair(random_);
  const Keypair second = crypto::generate_keypair(random_);
  Keypair torn = crypto::generate_keypair(random_);
  torn.secret_key = second.secret_key;
  options_.files.dynamic_keys_map = write("keys", "[" + json(first) + "]");
  open();
  EXPECT_TRUE(opens(first));
  write("keys", "- " + json(second, ", \"extensions\": {\"read_only\": false}") + "\n");
  EXPECT_TRUE(reloader_->refresh());
  EXPECT_FALSE(opens(first));
  EXPECT_TRUE(opens(second));
  EXPECT_TRUE(access().key(crypto::key_id(second.public_key))->may_write);

  const std::string path = directory_.file("keys");
  const struct {
    const char* why;
    std::function<void()> breaks;
    const char* says;
  } cases[] = {
      {"cut off", [&] { write("keys", "[" + json(first).substr(0, 100)); }, "line"},
      {"not a list", [&] { write("keys", secret_text(first)); }, "is not a list of key pairs"},
      {"half a pair", [&] { write("keys", "- {privkey: " + secret_text(first) + "}"); },
       "has no pubkey"},
      {"a secret in the place of a name",
       [&] { write("keys", "[" + json(first, ", \"" + secret_text(first) + "\": 1") + "]"); },
       "unknown key"},
      {"a secret twice",
       [&] { write("keys", "- {" + secret_text(first) + ": , " + secret_text(first) + ": }"); },
       "has no pubkey"},
      {"a pair that does not belong together",
       [&] { write("keys", "[" + json(first) + "," + json(torn) + "]"); }, "does not belong"},
      {"the same pair twice", [&] { write("keys", "[" + json(first) + "," + json(first) + "]"); },
       "same 8 bytes"},
      {"the group may read it", [&] { write("keys", "[" + json(first) + "]", 0640); },
       "mode 0640; allowed: 0600"},
      {"everybody may write it", [&] { ::chmod(path.c_str(), 0602); }, "mode 0602"},
      {"no file", [&] { std::filesystem::rename(path, path + ".away"); }, "No such file"},
      {"a folder", [&] { std::filesystem::create_directory(path); }, "is not a regular file"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    log_.lines.clear();
    c.breaks();
    reloader_->refresh();
    EXPECT_TRUE(opens(second)) << "the old set is still used";
    EXPECT_FALSE(opens(first));
    EXPECT_THAT(log_.lines,
                Contains(AllOf(HasSubstr("list_kept"), HasSubstr(path), HasSubstr(c.says))));
    EXPECT_FALSE(reloader_->refresh()) << "logged only once";
    EXPECT_TRUE(reloader_->reload(options_)) << "a reload keeps the set, too";
    EXPECT_TRUE(opens(second));
    for (const std::string& line : log_.lines) {
      for (const Keypair& pair : {first, second, torn}) {
        // Even half a key must not be logged.
        EXPECT_THAT(line, Not(HasSubstr(secret_text(pair).substr(0, 26))));
        EXPECT_THAT(line, Not(HasSubstr(to_hex({pair.secret_key.reveal(), 8}))));
      }
    }
  }
  std::filesystem::remove(path);
  write("keys", "[]");
  EXPECT_TRUE(reloader_->refresh());
  EXPECT_FALSE(opens(second)) << "an empty list is valid";
}

TEST_F(AccessReloaderTest, AKeyCanMoveFromOneFileToAnother) {
  const Keypair stays = crypto::generate_keypair(random_);
  const Keypair moves = crypto::generate_keypair(random_);
  options_.files.keypair = {write("fixed", "[" + json(stays) + "," + json(moves) + "]")};
  options_.files.dynamic_keys_map = write("keys", "[]");
  options_.files.blocked = {write("blocked", "203.0.113.1")};
  open();
  write("keys", "[" + json(moves) + "]");
  reloader_->refresh();
  EXPECT_TRUE(opens(moves)) << "the key is in both files; this is refused, and nothing changes";
  EXPECT_FALSE(reloader_->refresh()) << "logged only once";
  write("blocked", "203.0.113.2");
  reloader_->refresh();
  EXPECT_TRUE(opens(moves));
  write("fixed", "[" + json(stays) + "]");
  EXPECT_TRUE(reloader_->refresh());
  EXPECT_TRUE(opens(stays));
  EXPECT_TRUE(opens(moves)) << "now from the file whose change was refused before";
  EXPECT_TRUE(access().is_blocked(ip("203.0.113.2")));
}

TEST_F(AccessReloaderTest, RefusesToStartIfAListCannotBeRead) {
  const Keypair pair = crypto::generate_keypair(random_);
  const std::string keys = "[" + json(pair) + "]";
  const struct {
    const char* why;
    std::function<void(ListFiles&)> names;
    ErrorCode code;
    const char* says;
  } cases[] = {
      {"no file", [&](ListFiles& f) { f.blocked = {directory_.file("none")}; },
       ErrorCode::kNotFound, "none: No such file"},
      {"not valid networks",
       [&](ListFiles& f) { f.blocked = {write("b", "10.0.0.0/8\n10.0.0.0/33\n")}; },
       ErrorCode::kInvalid, "b: line 2: is not a valid entry of this list; allowed: an IP address"},
      {"keys in a file of networks", [&](ListFiles& f) { f.blocked = {write("b", keys)}; },
       ErrorCode::kInvalid, "b: line 1"},
      {"a short digest", [&](ListFiles& f) { f.skip_hashes = {write("s", "abcd")}; },
       ErrorCode::kInvalid, "128 hexadecimal digits"},
      {"a private key in the place of its ID",
       [&](ListFiles& f) { f.allow_update_keys = {write("i", secret_text(pair))}; },
       ErrorCode::kInvalid, "the ID of a key"},
      {"keys that the group may read", [&](ListFiles& f) { f.keypair = {write("k", keys, 0640)}; },
       ErrorCode::kDenied,
       "k: users other than the owner can access this key file, mode 0640; allowed: 0600 or 0400"},
      {"keys that everybody may read",
       [&](ListFiles& f) { f.dynamic_keys_map = write("k", keys, 0604); }, ErrorCode::kDenied,
       "mode 0604"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    ServerOptions options;
    c.names(options.files);
    const auto reloader = AccessReloader::open(options, random_, log_);
    ASSERT_FALSE(reloader);
    EXPECT_EQ(reloader.error().code, c.code);
    EXPECT_THAT(reloader.error().message, HasSubstr(c.says));
    EXPECT_THAT(reloader.error().message, Not(HasSubstr(secret_text(pair).substr(0, 26))));
  }
  ServerOptions owner_only;
  owner_only.files.keypair = {write("k", keys, 0400)};
  EXPECT_TRUE(AccessReloader::open(owner_only, random_, log_));
}

TEST_F(AccessReloaderTest, KeepsEverythingIfNewSettingsAreNotValid) {
  options_.blocked = {*Network::parse("203.0.113.1")};
  open();
  ServerOptions other;
  other.files.trusted = {directory_.file("none")};
  EXPECT_FALSE(reloader_->reload(other));
  EXPECT_TRUE(access().is_blocked(ip("203.0.113.1")));
  EXPECT_EQ(reloader_->options(), options_);
}

TEST_F(AccessReloaderTest, RemembersSourcesAcrossARestart) {
  options_.ratelimit.rate = 1;
  options_.ratelimit.burst = 3;
  options_.ratelimit.bucket_ttl = seconds(60);
  const std::string path = directory_.file("limits");
  open();
  reloader_->restore_limits(path, kMoment);  // the first start
  const auto admitted = [&](const char* address, const Moment& now) {
    int count = 0;
    while (count < 9 && access().sources().admit(ip(address), now.steady)) ++count;
    return count;
  };
  EXPECT_EQ(admitted("192.0.2.1", kMoment), 3);
  EXPECT_TRUE(access().sources().admit(ip("198.51.100.1"), kMoment.steady));
  reloader_->save_limits(path, kMoment);

  // 20 seconds later, after a reboot: the steady clock has started again.
  const Moment later{TimePoint(seconds(5)), kMoment.wall + seconds(20)};
  open();
  reloader_->restore_limits(path, later);
  EXPECT_EQ(admitted("192.0.2.1", later), 0) << "still banned";
  EXPECT_EQ(admitted("198.51.100.1", later), 3) << "its bucket is empty by now";
  EXPECT_EQ(admitted("192.0.2.1", {later.steady + seconds(41), later.wall}), 2)
      << "the ban is over";

  write("limits", "nonsense");
  log_.lines.clear();
  open();
  reloader_->restore_limits(path, later);
  EXPECT_THAT(log_.lines, Contains(HasSubstr("fuzzy_ratelimits_lost")));
  EXPECT_EQ(admitted("192.0.2.1", later), 3);
}

}  // namespace
}  // namespace shingled::storage::access
