#include "milter/process/restart_needed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "config/reference/key_text.h"

namespace shingled::milter::process {
namespace {

TEST(RestartNeeded, NamesOptionsThatAreReadOnlyAtTheStart) {
  const Settings running;
  Settings wanted;
  EXPECT_THAT(restart_needed(running, wanted), ::testing::IsEmpty());
  wanted.milter.timeout += std::chrono::seconds(1);
  wanted.rules.clear();
  wanted.similar.lists.emplace_back();
  wanted.storage.server.encrypted_only = true;
  wanted.counters.ham_below = 2;
  wanted.counters.pieces.links_max = 5;
  EXPECT_THAT(restart_needed(running, wanted), ::testing::IsEmpty()) << "a reload applies these";
  wanted.milter.socket.port = 1;
  wanted.storage.engine.hashfile = "/elsewhere";
  wanted.similar.file = "/elsewhere";
  wanted.counters.shared.redis.servers.emplace_back();
  wanted.counters.shared.redis.prefix = "ours";
  wanted.http.listen.clear();
  EXPECT_THAT(restart_needed(running, wanted),
              ::testing::ElementsAre("milter.socket", "similar.file", "counters.servers",
                                     "counters.redis", "storage.hashfile", "http"));
}

// Each option of shingled.yaml(5).

const std::string kKey(52, 'y');  // 32 bytes of z-base-32
const std::string kPair = "{pubkey: " + kKey + ", privkey: " + kKey + "}";
const std::string kDigest(128, '7');

/// Values of which at least one is allowed and not the default.
const std::map<std::string, std::vector<std::string>>& values_by_type() {
  static const std::map<std::string, std::vector<std::string>> kValues = {
      {"bool", {"true", "false"}},
      {"number", {"3", "40", "1001", "5000", "12345678", "-7"}},
      {"real", {"0.5", "3", "900"}},
      {"size", {"70", "5K", "3M", "2G"}},
      {"duration", {"20ms", "3s", "3m", "3h", "11d"}},
      {"octal", {"0600"}},
      {"text", {"X-Other"}},
      {"path", {"/elsewhere"}},
      {"secret", {"other"}},
      {"socket", {"inet:9@127.0.0.1"}},
      {"rate", {"[3, 1]", "3 / 1h"}},
      {"key", {kKey}},
      {"key pair", {kPair}},
      {"key pairs with files", {kPair}},
      {"list", {"[X-Other]", "[2h]"}},
      {"list of keys", {kKey}},
      {"list of sockets", {"127.0.0.1:9"}},
      {"list of servers", {"192.0.2.9:9"}},
      {"list of networks", {"192.0.2.0/24"}},
      {"list of networks with files", {"192.0.2.0/24"}},
      {"list of numbers", {"[7]"}},
      {"list of digests with files", {kDigest}},
      {"list of IDs with files", {kDigest}},
      {"list of texts", {"[other]", "[unix:/other]"}},
      {"list of features", {"[words]"}},
      {"list of globs", {"image/*"}},
      {"list of files", {"/dev/null"}},
      {"list of rules", {"all"}},
      {"list of recipients with files", {"a@b.example"}},
      {"list of maps", {"[{name: a}]"}},
      {"map or list of maps", {"{hosts: [192.0.2.9], key: " + kKey + "}"}},
  };
  return kValues;
}

/// Options that other options require.
std::vector<std::string> needed_by(const std::string& key) {
  static const std::map<std::string, std::vector<std::string>> kNeeded = {
      {"storage.encrypted_only", {"storage.keypair=" + kPair}},
      {"storage.masters", {"storage.sync_keypair=" + kPair, "storage.master_key=" + kKey}},
      {"storage.mirror", {"storage.sync_keypair=" + kPair}},
      {"storage.enabled", {"rules.local.servers=192.0.2.8:8"}},
      {"storage.redis.username", {"storage.redis.password=x"}},
      {"ratelimit.redis.username", {"ratelimit.redis.password=x"}},
      {"counters.redis.username", {"counters.servers=192.0.2.8:8", "counters.redis.password=x"}},
      {"http.listen", {"http.plain=yes"}},
      {"http.tls.key", {"http.tls.certificate=/c"}},
      {"client.key_file", {"client.server=unix:/s"}},
      {"client.ca_file", {"client.server=unix:/s"}},
      {"reports.home_key_file", {"reports.home=unix:/s"}},
      {"reports.home_ca_file", {"reports.home=unix:/s"}},
      {"similar.enabled", {"similar.lists=[{name: a}]"}},
  };
  const auto found = kNeeded.find(key);
  if (found != kNeeded.end()) return found->second;
  if (key.starts_with("counters.redis.")) return {"counters.servers=192.0.2.8:8"};
  const bool remote = key.starts_with("rules.NAME.") && key.ends_with("_servers");
  if (key.ends_with("encryption_key") || remote) return {"rules.local.servers=192.0.2.8:8"};
  return {};
}

/// Entries of lists and maps are not tried: the option that contains them is tried as a whole.
bool is_inside(const std::string& key) {
  for (const char* outer : {"storage.keypair.", "storage.mirror.", "similar.lists.",
                            "rules.NAME.flags.LIST.", "policy.rules.NAME."}) {
    if (key.starts_with(outer)) return true;
  }
  return false;
}

std::shared_ptr<const Settings> settings_of(const std::vector<std::string>& options) {
  return config::load_settings("", "test", options).settings;
}

/// The values of a choice, from the error text of the loader.
std::vector<std::string> choices_of(const std::string& name) {
  const auto loaded = config::load_settings("", "test", std::array{name + "=quux"});
  std::vector<std::string> out;
  for (const config::Problem& problem : loaded.problems) {
    const std::size_t at = problem.what.find("allowed: ");
    if (at == std::string::npos) continue;
    std::istringstream words(problem.what.substr(at + 9));
    for (std::string word; std::getline(words, word, ',');)
      out.push_back(word.substr(word.find_first_not_of(' ')));
  }
  return out;
}

TEST(RestartNeeded, AgreesWithTheManualPageForEveryOption) {
  int tried = 0;
  for (const config::KeyText& key : config::key_texts()) {
    if (key.type.empty() || is_inside(key.name)) continue;
    SCOPED_TRACE(key.name + ", " + key.type);
    std::string name = key.name;
    for (const auto& [theirs, ours] : {std::pair{".NAME.", ".local."}, {".TYPE", ".to"}}) {
      const std::size_t at = name.find(theirs);
      if (at != std::string::npos) name.replace(at, std::string_view(theirs).size(), ours);
    }
    const auto values = values_by_type().find(key.type);
    if (key.type != "choice") {
      ASSERT_NE(values, values_by_type().end()) << "this test does not know the type";
    }
    const std::vector<std::string> needed = needed_by(key.name);
    const auto running = settings_of(needed);
    ASSERT_NE(running, nullptr);
    bool changed = false;
    for (const std::string& value : key.type == "choice" ? choices_of(name) : values->second) {
      std::vector<std::string> options = needed;
      options.push_back(name + '=' + value);
      const auto wanted = settings_of(options);
      if (wanted == nullptr || *wanted == *running) continue;
      changed = true;
      EXPECT_EQ(!restart_needed(*running, *wanted).empty(), key.needs_restart) << value;
      break;
    }
    EXPECT_TRUE(changed) << "no value of this test is allowed and changes anything";
    ++tried;
  }
  EXPECT_GT(tried, 180);
}

}  // namespace
}  // namespace shingled::milter::process
