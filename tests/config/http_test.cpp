// Covers config/sections/http.cpp, config/sections/client.cpp: what is read, and the line and the
// exact text of each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The settings of a text without problems.
Settings settings_of(const std::string& yaml) {
  const Loaded loaded = load_settings(yaml, "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? *loaded.settings : Settings{};
}

std::vector<std::string> problems_of(const std::string& yaml) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings(yaml, "f", {}).problems)
    out.push_back(problem.to_string());
  return out;
}

struct Case {
  const char* why;
  const char* yaml;
  const char* problem;
};

void expect_problems(std::span<const Case> cases) {
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(problems_of(test.yaml), ElementsAre(test.problem));
  }
}

TEST(Http, IsRead) {
  const HttpOptions http = settings_of(R"(
http:
  listen: ["unix:/run/shingled/http.sock", "127.0.0.1:80", "[::1]", "192.0.2.1"]
  tls: {certificate: /etc/tls.pem, key: /etc/tls.key}
  local: Report
  keys_file: /k
  users_file: ""
  connections_max: 16
  timeout: 10m
  body_bytes_max: 4K
)")
                               .http;
  ASSERT_EQ(http.listen.size(), 4U);
  EXPECT_EQ(http.listen[0].to_string(), "unix:/run/shingled/http.sock");
  EXPECT_EQ(http.listen[1].to_string(), "inet:80@127.0.0.1");
  EXPECT_EQ(http.listen[2].to_string(), "inet6:11340@::1");
  EXPECT_EQ(http.listen[3].to_string(), "inet:11340@192.0.2.1");
  EXPECT_EQ(http.certificate, "/etc/tls.pem");
  EXPECT_EQ(http.key, "/etc/tls.key");
  EXPECT_FALSE(http.plain);
  EXPECT_EQ(http.local, HttpRole::kReport);
  EXPECT_EQ(http.keys_file, "/k");
  EXPECT_EQ(http.users_file, "");
  EXPECT_EQ(http.connections_max, 16U);
  EXPECT_EQ(http.timeout, std::chrono::minutes(10));
  EXPECT_EQ(http.body_bytes_max, 4096U);
}

TEST(Http, TakesAddressesThatOnlyThisMachineReachesWithoutEncryption) {
  for (const char* const http :
       {"listen: []", "listen: 'unix:/s'", "listen: ['127.0.0.2:1', '[::1]:1', 'localhost:2']",
        "listen: '*:1', plain: yes", "listen: '*:1', tls: {certificate: /c}"}) {
    EXPECT_EQ(settings_of("http: {" + std::string(http) + "}").http.key, "") << http;
  }
  EXPECT_EQ(settings_of("milter: {enabled: no, socket: 'unix:/s'}\nhttp: {listen: 'unix:/s'}")
                .http.listen.size(),
            1U)
      << "what is off has no place";
}

TEST(Http, IsReadUnderItsNameOfBefore) {
  const Loaded loaded = load_settings(
      "status: {listen: ['unix:/s', '127.0.0.1'], connections_max: 20, timeout: 5s}", "f");
  ASSERT_NE(loaded.settings, nullptr);
  EXPECT_EQ(loaded.problems.size(), 3U) << "a warning for each";
  HttpOptions wanted;
  wanted.listen = {{SocketSpec::Kind::kUnix, "", 0, "/s"},
                   {SocketSpec::Kind::kInet, "127.0.0.1", 11340, ""}};
  wanted.connections_max = 20;
  wanted.timeout = std::chrono::seconds(5);
  EXPECT_EQ(loaded.settings->http, wanted);
  EXPECT_EQ(settings_of("status:\n"), Settings{});
  EXPECT_EQ(load_settings("http: {listen: 'unix:/new'}\nstatus: {listen: 'unix:/old'}", "f")
                .settings->http.listen.front()
                .path,
            "/new");
}

TEST(Http, RefusesWhatCannotBeMeant) {
  constexpr Case kCases[] = {
      {"the milter is there", "http: {listen: '127.0.0.1:11339'}",
       "f:1:16: http.listen: inet:11339@127.0.0.1 is also the place of milter.socket; allowed: "
       "another one, or [] for none"},
      {"the milter is there, on one of all addresses", "http: {listen: '*:11339', plain: yes}",
       "f:1:16: http.listen: inet:11339 is also the place of milter.socket; allowed: another one, "
       "or [] for none"},
      {"the fuzzy service is there", "http: {listen: ['unix:/a', '[::1]:11335']}",
       "f:1:16: http.listen: inet6:11335@::1 is also the place of storage.listen; allowed: "
       "another one, or [] for none"},
      {"one path twice", "http: {listen: ['unix:/a', 'unix:/a']}",
       "f:1:16: http.listen: unix:/a is also the place of another of them; allowed: another "
       "one, or [] for none"},
      {"a port that is none", "http: {listen: '127.0.0.1:99999'}",
       "f:1:16: http.listen: '127.0.0.1:99999' is not a valid socket: the port must be 0 to 65535; "
       "allowed: inet:PORT@HOST, inet6:PORT@HOST, unix:/PATH, local:/PATH, HOST:PORT, "
       "[IPV6]:PORT"},
      {"passwords in clear text on every network", "http: {listen: '*'}",
       "f:1:16: http.listen: inet:11340 is reached from other machines without encryption; "
       "allowed: with a setting of tls.certificate, or with plain: yes"},
      {"one of several addresses", "http: {listen: ['unix:/a', '127.0.0.1', '192.0.2.1:99']}",
       "f:1:16: http.listen: inet:99@192.0.2.1 is reached from other machines without encryption; "
       "allowed: with a setting of tls.certificate, or with plain: yes"},
      {"of IPv6", "http: {listen: '[2001:db8::1]'}",
       "f:1:16: http.listen: inet6:11340@2001:db8::1 is reached from other machines without "
       "encryption; allowed: with a setting of tls.certificate, or with plain: yes"},
      {"a name may be anywhere", "http: {listen: 'mx.example.org', plain: no}",
       "f:1:16: http.listen: inet:11340@mx.example.org is reached from other machines without "
       "encryption; allowed: with a setting of tls.certificate, or with plain: yes"},
      {"the key alone encrypts nothing", "http: {listen: '192.0.2.1', tls: {key: /k}}",
       "f:1:34: http.tls: has a key and no certificate; allowed: with tls.certificate"},
      {"a role we do not have", "http: {local: everything}",
       "f:1:15: http.local: 'everything' is not one of the choices; allowed: change, read, report, "
       "count, metrics, off"},
      {"a file that moves with the working directory", "http: {keys_file: http.keys}",
       "f:1:19: http.keys_file: 'http.keys' is not an absolute path; allowed: an absolute path, or "
       "\"\" for none"},
      {"likewise for people", "http: {users_file: users}",
       "f:1:20: http.users_file: 'users' is not an absolute path; allowed: an absolute path, or "
       "\"\" for none"},
      {"a slip in tls", "http: {tls: {certficate: /c}}",
       "f:1:14: http.tls.certficate: unknown key; did you mean 'certificate'?"},
      {"what is in tls beside it", "http: {certificate: /c}",
       "f:1:8: http.certificate: unknown key; did you mean 'http.tls.certificate'?"},
      {"one client would have no connection", "http: {connections_max: 15}",
       "f:1:25: http.connections_max: '15' is out of range; allowed: 16 to 10000"},
      {"a part of a second", "http: {timeout: 1500ms}",
       "f:1:17: http.timeout: '1500ms' is too fine; allowed: multiples of 1s"},
      {"a request of a disk", "http: {body_bytes_max: 2G}",
       "f:1:24: http.body_bytes_max: '2G' is out of range; allowed: 4K to 1G"},
  };
  expect_problems(kCases);
}

TEST(Client, IsRead) {
  const ClientOptions client = settings_of(R"(
client:
  server: https://[2001:db8::1]:11340/shingled
  key_file: /k
  ca_file: /c
)")
                                   .client;
  EXPECT_EQ(client.server, "https://[2001:db8::1]:11340/shingled");
  EXPECT_EQ(client.key_file, "/k");
  EXPECT_EQ(client.ca_file, "/c");
  EXPECT_EQ(settings_of("client: {}").client, ClientOptions{});
}

TEST(Client, AKeyWithoutAServerHasNoEffect) {
  constexpr Case kCases[] = {
      {"a key", "client: {key_file: /k}",
       "f:1:9: client.server: is empty, so the rest has no effect; allowed: the URL of a daemon"},
      {"a file that moves", "client: {server: 'unix:/s', key_file: k}",
       "f:1:39: client.key_file: 'k' is not an absolute path; allowed: an absolute path, or \"\" "
       "for none"},
  };
  expect_problems(kCases);
}

TEST(Http, SaysItsNewName) {
  constexpr Case kCases[] = {
      {"it works, and the new name is said", "status: {listen: 'unix:/s'}",
       "f:1:18: warning: status.listen: has another name now: http.listen"},
      {"how many", "status: {connections_max: 64}",
       "f:1:27: warning: status.connections_max: has another name now: http.connections_max"},
      {"how long", "status: {timeout: 5s}",
       "f:1:19: warning: status.timeout: has another name now: http.timeout"},
      {"an option that is none any more", "status: {matches_max: 7}",
       "f:1:10: warning: status.matches_max: is no longer an option: it is always 100"},
      {"a slip", "status: {lisen: 'unix:/s'}",
       "f:1:10: status.lisen: unknown key; did you mean 'listen'?"},
      {"no map", "status: off", "f:1:9: status: is a single value; allowed: a map of settings"},
  };
  expect_problems(kCases);
  EXPECT_THAT(problems_of("status: {listen: '*'}"), ::testing::SizeIs(2))
      << "it is not encrypted under that name either";
  EXPECT_THAT(problems_of("status: {matches_max: 100}"), IsEmpty()) << "it is that";
  EXPECT_THAT(
      problems_of("status: {listen: '127.0.0.1:11339'}"),
      Contains(HasSubstr("http.listen: inet:11339@127.0.0.1 is also the place of milter.socket")))
      << "it is checked as the new name is";
}

}  // namespace
}  // namespace shingled::config
