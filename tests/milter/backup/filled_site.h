#pragma once

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "config/base/hex.h"
#include "milter/backup/restore.h"
#include "milter/backup/take_backup.h"
#include "storage/counters/counter_key.h"
#include "storage/sqlite/base/owned_file.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::backup {

inline constexpr const char* kKey = "00112233445566778899aabbccddeeff\n";
inline constexpr const char* kOtherKey = "ffeeddccbbaa99887766554433221100\n";

inline bool go_on(const storage::WorkDone&) { return true; }

inline std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// A machine with a site: its files are in a folder of their own.
class Machine {
 public:
  explicit Machine(std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    settings.storage.engine.hashfile = file("fuzzy.db");
    settings.counters.embedded.directory = file("counters");
    settings.history.file = file("history.db");
    settings.reports.file = file("reports.db");
    settings.similar.file = file("similar.db");
    settings.ratelimit.file = file("ratelimit.db");
    settings.model.file = file("model.json");
    settings.policy.allow_file = file("allow.list");
    settings.policy.block_file = file("block.list");
    settings.http.keys_file = file("etc/http.keys");
    settings.http.users_file = file("etc/users");
  }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + '/' + name; }
  void put(const std::string& name, const std::string& text, mode_t mode = 0640) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name)) << text;
    ::chmod(file(name).c_str(), mode);
  }
  void put_key(const char* key) const { put("counters/key", key, 0600); }
  /// A database with this number in it.
  void put_database(const std::string& name, int number) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    const auto database =
        storage::sqlite::Database::open(file(name), storage::sqlite::Database::Access::kCreate);
    ASSERT_TRUE(database) << database.error().message;
    const std::string sql = "PRAGMA journal_mode = WAL; CREATE TABLE t(n); INSERT INTO t VALUES (" +
                            std::to_string(number) + ")";
    ASSERT_TRUE((*database)->execute(sql.c_str()));
  }
  [[nodiscard]] std::int64_t number_in(const std::string& name) const {
    const auto database =
        storage::sqlite::Database::open(file(name), storage::sqlite::Database::Access::kReadOnly);
    return database ? (*database)->integer("SELECT n FROM t").value_or(-1) : -1;
  }
  void put_hashes(std::size_t count) const {
    const auto table = storage::sqlite::FuzzyTable::open(file("fuzzy.db"), Durability::kNormal);
    ASSERT_TRUE(table) << table.error().message;
    for (std::size_t i = 0; i < count; ++i) {
      storage::sqlite::FuzzyRow row;
      row.digest.bytes.fill(static_cast<std::uint8_t>(i + 1));
      row.flags.add({11, 5});
      row.created = row.updated = 1'700'000'000;
      ASSERT_TRUE((*table)->insert(row));
    }
  }
  [[nodiscard]] std::int64_t hashes() const {
    const auto database = storage::sqlite::Database::open(
        file("fuzzy.db"), storage::sqlite::Database::Access::kReadOnly);
    return database ? (*database)->integer("SELECT count(*) FROM digests").value_or(-1) : -1;
  }
  /// With something of everything.
  void fill() const {
    put_hashes(7);
    put_key(kKey);
    put_database("counters/counters.db", 1);
    put_database("counters/people.db", 2);
    put_database("history.db", 3);
    put_database("reports.db", 4);
    put_database("similar.db", 5);
    put_database("ratelimit.db", 6);
    put("model.json", "{\"trees\": []}");
    put("model.json.before", "{\"trees\": [1]}");
    put("model.json.mode", "live");
    put("reports.db.spool/0017-42-1.report", "{\"kind\":\"spam\"}\n\nA letter\n7 bytes", 0600);
    put("allow.list", "a@example.org\n");
    put("etc/http.keys", "a key\n");
    put("etc/shingled.yaml", "history: {keep: 3d}\n");
  }
  /// All files with their content, but for those that locks and SQLite leave.
  [[nodiscard]] std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      const std::string name = entry.path();
      if (entry.is_directory() || name.ends_with(".lock") || name.ends_with("-shm") ||
          name.ends_with("-wal"))
        continue;
      out[name] = text_of(name);
    }
    return out;
  }

  Settings settings;

 private:
  std::string folder_;
};

/// Counters whose export is one line, and whose folder has it in a database.
inline Result<std::uint64_t> export_one(const std::string& file, const char* key) {
  CounterKeyBytes bytes{};
  const auto parsed = from_hex(std::string_view(key).substr(0, 32));
  std::ranges::copy(*parsed, bytes.begin());
  const std::string mark = storage::counters::mark_text(storage::counters::key_mark(bytes));
  std::ofstream(file) << "{\"key\":\"" << mark << "\"}\n{\"name\":\"x\",\"count\":1}\n";
  return std::uint64_t{1};
}

class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override { from_.fill(); }

  Result<TakenBackup> take(bool with_keys, std::set<std::string> without = {}) {
    return take_backup(
        from_.settings, {backup_, from_.file("etc/shingled.yaml"), with_keys, std::move(without)},
        [](const std::string& file) { return export_one(file, kKey); }, clock_, go_on);
  }
  /// As the command does it.
  Result<Restored> put_back(const Machine& to, RestoreOptions options = {}) {
    options.settings_file = to.file("etc/shingled.yaml");
    const auto stored = StoredBackup::open(backup_);
    if (!stored) return stored.error();
    if (Status whole = stored->check(go_on); !whole) return whole.error();
    const auto import = [&](const std::string& file,
                            const CounterOptions& into) -> Result<std::uint64_t> {
      if (!import_fault_.empty()) return Error{ErrorCode::kUnavailable, import_fault_};
      EXPECT_EQ(text_of(into.key_path()), kKey);
      std::ofstream(into.embedded.directory + "/counters.db") << text_of(file);
      return std::uint64_t{1};
    };
    return restore(*stored, to.settings, options, import, clock_, go_on);
  }
  [[nodiscard]] std::string left_out(const std::vector<LeftOut>& left,
                                     const std::string& what) const {
    for (const LeftOut& one : left)
      if (one.what == what) return one.why;
    return "";
  }

  shingled::testing::TemporaryDirectory directory_;
  shingled::testing::ManualClock clock_;
  std::string backup_ = directory_.file("backup");
  Machine from_{directory_.file("here")};
  Machine to_{directory_.file("there")};
  std::string import_fault_;
};

/// Files cannot grow beyond some bytes, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace shingled::milter::backup
