#include "milter/backup/site_parts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace shingled::milter::backup {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const LeftOut* find_left(const Site& site, std::string_view what) {
  const auto found = std::ranges::find(site.elsewhere, what, &LeftOut::what);
  return found == site.elsewhere.end() ? nullptr : &*found;
}

TEST(SiteParts, HaveAllDataOfADefaultSite) {
  const Site site = site_of(Settings(), "/etc/shingled/shingled.yaml");
  std::set<std::string> data;
  std::set<std::string> files;
  for (const SitePart& part : site.parts) {
    EXPECT_TRUE(parse_kinds(std::vector{part.kind})) << part.name;
    EXPECT_TRUE(files.insert(part.file).second) << part.file;
    if (part.form != PartForm::kFile) data.insert(part.path);
  }
  EXPECT_THAT(data, UnorderedElementsAre(
                        "/var/lib/shingled/fuzzy.db", "/var/lib/shingled/counters",
                        "/var/lib/shingled/counters/names.db",
                        "/var/lib/shingled/counters/people.db", "/var/lib/shingled/reports.db",
                        "/var/lib/shingled/reports.db.spool", "/var/lib/shingled/history.db",
                        "/var/lib/shingled/similar.db", "/var/lib/shingled/ratelimit.db"));
  EXPECT_EQ(site.find(kKeyPart)->path, "/var/lib/shingled/counters/key");
  EXPECT_EQ(site.find(kKeyPart)->kind, "keys");
  for (const char* name : {"model", "model.before", "model.mode"}) {
    ASSERT_NE(site.find(name), nullptr) << name;
    EXPECT_EQ(site.find(name)->kind, "model");
  }
  EXPECT_EQ(site.find("model.before")->path, "/var/lib/shingled/model.json.before");
  EXPECT_EQ(site.parts.back().name, kHashesPart) << "opened last: it fits all reports";
  EXPECT_TRUE(site.elsewhere.empty());
}

TEST(SiteParts, NameWhatIsInRedis) {
  Settings settings;
  settings.storage.backend = Backend::kRedis;
  settings.storage.redis.servers = {{SocketSpec::Kind::kInet, "redis.example", 6379, ""}};
  settings.counters.shared.redis.servers = settings.storage.redis.servers;
  settings.ratelimit.redis.servers = settings.storage.redis.servers;
  const Site site = site_of(settings, "");
  for (const char* what : {"hashes", "counters", "people", "buckets"}) {
    ASSERT_NE(find_left(site, what), nullptr) << what;
    EXPECT_THAT(find_left(site, what)->why, HasSubstr("redis.example"));
    EXPECT_EQ(site.find(what), nullptr) << what;
  }
  EXPECT_THAT(find_left(site, "hashes")->why, HasSubstr("shingled export"));
  EXPECT_THAT(find_left(site, "counters")->why, HasSubstr("shingled counters export"));
  EXPECT_EQ(site.find(kSettingsPart), nullptr) << "there is no file";
}

TEST(SiteParts, HaveAFileThatTwoSettingsNameOnce) {
  Settings settings;
  settings.policy.files = {"/etc/shingled/a.yaml", "/etc/shingled/b.yaml"};
  settings.storage.server.files.blocked = {"/etc/shingled/bad"};
  settings.storage.server.files.trusted = {"/etc/shingled/bad"};
  const Site site = site_of(settings, "");
  EXPECT_EQ(site.find("policy.files.2")->path, "/etc/shingled/b.yaml");
  EXPECT_TRUE(site.find("policy.files.2")->is_one_of_many);
  EXPECT_EQ(std::ranges::count(site.parts, "/etc/shingled/bad", &SitePart::path), 1);
}

TEST(SiteParts, OfWrongNamesAreRefused) {
  EXPECT_EQ(parse_kinds(std::vector<std::string>{"counters", "keys"})->size(), 2U);
  const auto wrong = parse_kinds(std::vector<std::string>{"counter"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("hashes, counters, reports"));
}

}  // namespace
}  // namespace shingled::milter::backup
