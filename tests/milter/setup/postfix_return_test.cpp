#include "milter/setup/postfix_return.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

constexpr const char* kServices =
    "smtp       inet  n - n - - smtpd\n"
    "submission inet  n - n - - smtpd -o syslog_name=submission\n"
    "pickup     unix  n - n 60 1 pickup\n"
    "scan       unix  - - n - 2 smtp\n"
    "127.0.0.1:10025 inet n - n - - smtpd -o content_filter=\n"
    "[::1]:10026 inet n - n - - smtpd -o content_filter=\n";

TEST(PostfixReturn, NamesWhatCallsTheMilterTwice) {
  const struct {
    const char* why;
    const char* content_filter;  // of main.cf
    const char* milters;
    const char* overrides;
    std::vector<const char*> named;
  } cases[] = {
      {"no content filter", "", "ours", "127.0.0.1:10025/inet/content_filter =\n", {}},
      {"it gives mail back",
       "scan:[127.0.0.1]:10024",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n",
       {"127.0.0.1:10025 inet"}},
      {"by two services",
       "scan:[127.0.0.1]:10024",
       "other, ours",
       "127.0.0.1:10025/inet/content_filter =\n[::1]:10026/inet/content_filter =\n",
       {"127.0.0.1:10025 inet", "[::1]:10026 inet"}},
      {"one service has the content filter",
       "",
       "ours",
       "smtp/inet/content_filter = scan:dummy\n127.0.0.1:10025/inet/content_filter =\n",
       {"127.0.0.1:10025 inet"}},
      {"without milters",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/smtpd_milters =\n",
       {}},
      {"with another milter alone",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/smtpd_milters = other\n",
       {}},
      {"with the milter of its own",
       "scan:x",
       "",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/smtpd_milters = ours\n",
       {"127.0.0.1:10025 inet"}},
      {"with no_milters",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/receive_override_options = "
       "no_header_body_checks,no_milters\n",
       {}},
      {"with another option",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/receive_override_options = "
       "no_address_mappings\n",
       {"127.0.0.1:10025 inet"}},
      {"the filter was not set up yet",
       "scan:x",
       "other",
       "127.0.0.1:10025/inet/content_filter =\n",
       {}},
      {"a service with another filter",
       "scan:x",
       "ours",
       "submission/inet/content_filter = scan2:y\n",
       {}},
  };
  for (const auto& c : cases) {
    PostfixFacts facts;
    facts.expanded = {{"content_filter", c.content_filter}, {"smtpd_milters", c.milters}};
    facts.services = kServices;
    facts.overrides = c.overrides;
    Plan plan;
    check_return(
        facts, [](std::string_view all) { return all.find("ours") != std::string_view::npos; },
        plan);
    ASSERT_EQ(plan.problems.size(), c.named.size()) << c.why;
    for (std::size_t i = 0; i < c.named.size(); ++i)
      EXPECT_NE(plan.problems[i].find(c.named[i]), std::string::npos) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::setup
