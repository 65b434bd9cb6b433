// Covers milter/http/tls_client.cpp, milter/http/tls_identity.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "milter/http/http_call.h"
#include "milter/http/http_server.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::http {
namespace {

using ::testing::HasSubstr;

const std::string kData = SHINGLED_SOURCE_DIR "/tests/data/tls/";

class TlsTest : public ::testing::Test {
 protected:
  /// A file of tests/data/tls that only its owner may read.
  std::string secret(const std::string& name) const {
    const std::string path = directory_.file(name);
    std::filesystem::copy_file(kData + name, path,
                               std::filesystem::copy_options::overwrite_existing);
    ::chmod(path.c_str(), 0600);
    return path;
  }
  TlsFiles ours() const { return {kData + "certificate.pem", secret("key.pem")}; }
  TlsFiles other() const { return {kData + "other_certificate.pem", secret("other_key.pem")}; }

  void start(const TlsFiles& files) {
    HttpServerOptions options;
    options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    options.tls = files;
    auto server = HttpServer::start(
        options,
        [](const HttpRequest&) {
          return HttpReply{200, "text/plain", "as asked"};
        },
        clock_, random_);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = *std::move(server);
    endpoint_.socket = *SocketSpec::parse(server_->addresses().front());
    endpoint_.tls = true;
    endpoint_.ca_file = files.certificate;
  }
  /// The answer, or the error.
  std::string ask(const Endpoint& endpoint) {
    std::string body;
    const auto reply = http_call(endpoint, {.method = HttpMethod::kGet, .target = "/"}, clock_,
                                 std::chrono::seconds(30), [&](std::string_view piece) {
                                   body += piece;
                                   return Status();
                                 });
    return reply ? body : reply.error().message;
  }

  testing::TemporaryDirectory directory_;
  SystemClock clock_;
  SystemRandom random_;
  Endpoint endpoint_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsTest, AnswersWhoTrustsItsCertificate) {
  start(ours());
  EXPECT_EQ(ask(endpoint_), "as asked");
  endpoint_.host = "127.0.0.1";
  EXPECT_EQ(ask(endpoint_), "as asked") << "the certificate names the address, too";
}

TEST_F(TlsTest, AClientRefusesWhatItCannotTrust) {
  start(ours());
  Endpoint stranger = endpoint_;
  stranger.host = "mx.example.org";
  EXPECT_THAT(ask(stranger), HasSubstr("TLS: ")) << "another name";
  stranger = endpoint_;
  stranger.ca_file = kData + "other_certificate.pem";
  EXPECT_THAT(ask(stranger), HasSubstr("TLS: ")) << "signed by nobody that it trusts";
  stranger.ca_file = "";
  EXPECT_THAT(ask(stranger), HasSubstr("TLS: ")) << "nor the system";
  stranger.ca_file = directory_.file("none.pem");
  EXPECT_THAT(ask(stranger), HasSubstr(stranger.ca_file));
  std::ofstream(directory_.file("empty.pem")) << "nothing";
  stranger.ca_file = directory_.file("empty.pem");
  EXPECT_THAT(ask(stranger), HasSubstr(stranger.ca_file));
  EXPECT_EQ(ask(endpoint_), "as asked") << "and goes on";
}

TEST_F(TlsTest, TheOwnServiceMayHaveAnyName) {
  start(other());
  EXPECT_THAT(ask(endpoint_), HasSubstr("TLS: ")) << "it is not localhost";
  endpoint_.own = true;
  EXPECT_EQ(ask(endpoint_), "as asked");
  endpoint_.ca_file = kData + "certificate.pem";
  EXPECT_THAT(ask(endpoint_), HasSubstr("TLS: ")) << "this is another service";
}

TEST_F(TlsTest, ShowsANewCertificateWhileItRuns) {
  start(ours());
  ASSERT_EQ(ask(endpoint_), "as asked");
  TlsIdentity::use(*TlsIdentity::read(other()));
  EXPECT_THAT(ask(endpoint_), HasSubstr("TLS: "));
  endpoint_.ca_file = kData + "other_certificate.pem";
  endpoint_.own = true;
  EXPECT_EQ(ask(endpoint_), "as asked");
}

TEST_F(TlsTest, AServerWithoutItIsNoTlsServer) {
  start({});
  endpoint_.ca_file = kData + "certificate.pem";
  EXPECT_THAT(ask(endpoint_), HasSubstr("TLS: "));
  endpoint_.tls = false;
  EXPECT_EQ(ask(endpoint_), "as asked");
}

TEST_F(TlsTest, ReadsCertificateAndKeyOfOneFile) {
  const std::string path = directory_.file("both.pem");
  std::ofstream both(path);
  both << std::ifstream(kData + "key.pem").rdbuf()
       << std::ifstream(kData + "certificate.pem").rdbuf();
  both.close();
  ::chmod(path.c_str(), 0640);
  const auto read = TlsIdentity::read({path, ""});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GT((*read)->expires(), 4'900'000'000) << "in a hundred years";
}

TEST_F(TlsTest, RefusesFilesThatCannotBeMeant) {
  const std::string key = secret("key.pem");
  const std::string open = directory_.file("open.pem");
  std::filesystem::copy_file(key, open);
  ::chmod(open.c_str(), 0644);
  struct Case {
    const char* why;
    TlsFiles files;
    const char* says;
  };
  for (const Case& test : {
           Case{"no certificate", {directory_.file("none"), key}, "none"},
           Case{"no key", {kData + "certificate.pem", directory_.file("none")}, "none"},
           Case{"a key where the certificate should be", {key, key}, "key.pem"},
           Case{"a certificate where the key should be",
                {kData + "certificate.pem", kData + "other_certificate.pem"},
                "everybody may read the key"},
           Case{"the key of another certificate",
                {kData + "other_certificate.pem", key},
                "is not the key of the certificate in"},
           Case{"a key for everybody",
                {kData + "certificate.pem", open},
                "everybody may read the key; allowed: mode 0640 or 0600"},
       }) {
    const auto read = TlsIdentity::read(test.files);
    ASSERT_FALSE(read) << test.why;
    EXPECT_THAT(read.error().message, HasSubstr(test.says)) << test.why;
  }
}

}  // namespace
}  // namespace shingled::milter::http
