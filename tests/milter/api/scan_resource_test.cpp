#include "milter/api/scan_resource.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/milter/api/asked_routes.h"
#include "tests/support/fake_store.h"

namespace shingled::milter::api {
namespace {

using http::HttpMethod;
using ::testing::HasSubstr;
using Arguments = std::map<std::string, std::string>;

const std::string kMail =
    "From: a@example.org\r\nSubject: hi\r\n\r\n"
    "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and "
    "fountains before everything has gone. Our carpenters build each bench by hand from oak.\r\n";

class ScanResourceTest : public ::testing::Test {
 protected:
  void open() {
    auto scanner =
        judge::Scanner::open(std::make_shared<const Settings>(), &store_, clock_, random_);
    ASSERT_TRUE(scanner);
    snapshot_.set(std::make_shared<const judge::Snapshot>(judge::Snapshot{*std::move(scanner)}));
  }
  http::HttpReply ask(const std::string& body, Arguments arguments = {},
                      http::Role role = http::Role::kRead) {
    return testing::ask(resource_.routes(), HttpMethod::kPost, "/api/1/scan", body,
                        std::move(arguments), role);
  }

  shingled::testing::FakeStore store_;
  SystemClock clock_;
  SystemRandom random_;
  judge::CurrentSnapshot snapshot_;
  bool has_memory_ = true;
  std::uint64_t asked_memory_ = 0;
  ScanResource resource_{snapshot_, [this](std::uint64_t bytes, const std::stop_token&) {
                           asked_memory_ = bytes;
                           return has_memory_ ? std::make_shared<int>(0) : std::shared_ptr<int>();
                         }};
};

TEST_F(ScanResourceTest, SaysWhatWouldHappenAndWhy) {
  store_.knows_all = storage::FlagValue{11, 20};
  open();
  const auto reply = ask(kMail, {{"ip", "192.0.2.1"}, {"to", "b@example.net, c@example.net"}});
  ASSERT_EQ(reply.status, 200U) << reply.body;
  const Json out = Json::parse(reply.body);
  EXPECT_EQ(out["action"], "reject");
  EXPECT_EQ(out["names"]["recipient"].size(), 2U);
  EXPECT_EQ(out["names"]["client"][0], "192.0.2.1");
  EXPECT_TRUE(out["unchecked"].is_null());
  EXPECT_EQ(asked_memory_, kMail.size());
}

TEST_F(ScanResourceTest, SaysWhatIsWrong) {
  EXPECT_EQ(ask(kMail).status, 503U) << "there is no milter yet";
  open();
  std::string many;
  for (int i = 0; i < 101; ++i) many += "a" + std::to_string(i) + "@b.example,";
  const struct {
    const char* why;
    std::string body;
    Arguments arguments;
    unsigned status;
    const char* detail;
  } cases[] = {
      {"nothing", "", {}, 400, "the body is empty"},
      {"no address", kMail, {{"ip", "nobody"}}, 400, "ip: is not an address"},
      {"many", kMail, {{"to", many}}, 400, "to: at most 100"},
      {"unknown", kMail, {{"form", "x"}}, 400, "did you mean 'from'"},
  };
  for (const auto& c : cases) {
    const auto reply = ask(c.body, c.arguments);
    EXPECT_EQ(reply.status, c.status) << c.why;
    EXPECT_THAT(reply.body, HasSubstr(c.detail)) << c.why;
  }
  EXPECT_EQ(ask(kMail, {}, http::Role::kMetrics).status, 403U);
  has_memory_ = false;
  EXPECT_EQ(ask(kMail).status, 503U);
}

TEST_F(ScanResourceTest, TakesWhateverAStrangerWrote) {
  open();
  std::string nested = "Content-Type: multipart/mixed; boundary=a\r\n\r\n";
  for (int i = 0; i < 2000; ++i)
    nested += "--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n";
  for (const std::string& body :
       {std::string(1, '\0'), std::string(100'000, '\xff'), nested, std::string("\r\n\r\n")})
    EXPECT_EQ(ask(body, {{"from", std::string(5000, '<')}, {"helo", "\xff\xfe"}}).status, 200U);
}

TEST_F(ScanResourceTest, NothingIsScannedAfterItWasClosed) {
  open();
  resource_.close();
  EXPECT_EQ(ask(kMail).status, 503U);
}

}  // namespace
}  // namespace shingled::milter::api
