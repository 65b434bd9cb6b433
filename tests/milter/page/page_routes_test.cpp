// Covers milter/page/page_routes.cpp: the files of the page, and the header they are sent with.
#include "milter/page/page_routes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>

#include "milter/page/page_file.h"

namespace shingled::milter::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

http::HttpReply ask(const std::string& path, const std::string& if_none_match = "") {
  http::HttpRequest request;
  request.path = path;
  request.if_none_match = if_none_match;
  return api::Router(page_routes()).answer(request);
}

std::map<std::string, std::string> fields(const http::HttpReply& reply) {
  return {reply.headers.begin(), reply.headers.end()};
}

TEST(PageRoutes, AnybodyGetsThePageAndItsFiles) {
  const http::HttpReply page = ask("/");
  EXPECT_EQ(page.status, 200U);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(fields(page)["Content-Encoding"], "gzip");
  EXPECT_EQ(page.body.substr(0, 2), "\x1f\x8b");
  for (const PageFile& file : page_files()) {
    const http::HttpReply reply = ask("/page/" + std::string(file.name));
    EXPECT_EQ(reply.status, 200U) << file.name;
    EXPECT_EQ(reply.type, file.type);
  }
  EXPECT_EQ(ask("/page/views/now.js").type, "text/javascript; charset=utf-8");
  for (const char* other : {"/page/", "/page/../index.html", "/page/nothing.js", "/index.html"})
    EXPECT_EQ(ask(other).status, 404U) << other;
}

TEST(PageRoutes, TheBrowserIsToldWhatThePageMayDo) {
  const auto header = fields(ask("/"));
  const std::string& policy = header.at("Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http:")));
  EXPECT_EQ(header.at("Cache-Control"), "no-cache");
}

TEST(PageRoutes, AFileThatDidNotChangeIsNotSentAgain) {
  const std::string tag = fields(ask("/page/style.css")).at("ETag");
  const http::HttpReply again = ask("/page/style.css", "\"other\", W/" + tag);
  EXPECT_EQ(again.status, 304U);
  EXPECT_TRUE(again.body.empty());
  EXPECT_EQ(fields(again).at("ETag"), tag);
  EXPECT_EQ(ask("/page/style.css", "\"other\"").status, 200U);
}

TEST(PageRoutes, ThePageIsSmall) {
  std::size_t bytes = 0;
  for (const PageFile& file : page_files()) bytes += file.gzip.size();
  EXPECT_LE(bytes, 120U * 1024);
  EXPECT_GT(bytes, 1000U);
  const auto files = page_files();
  EXPECT_NE(std::ranges::find(files, "chart.js", &PageFile::name), files.end());
}

}  // namespace
}  // namespace shingled::milter::page
