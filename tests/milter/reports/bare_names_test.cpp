#include "milter/reports/bare_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::milter::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReportOptions trusting(std::vector<std::string> names, std::string domain = "") {
  ReportOptions out;
  out.trusted_reporters = std::move(names);
  out.domain = std::move(domain);
  return out;
}

constexpr const char* kAliases = "root: ann\ninfo@example.org: ben@example.org\n";

TEST(BareNames, AreThoseOfAMachineThatIsOnlyAHost) {
  EXPECT_THAT(bare_names(trusting({"a@example.org", "postmaster"}), "mail", ""),
              ElementsAre(BareName{"reports.trusted_reporters[1]", "postmaster"}));
  EXPECT_THAT(bare_names(trusting({"ann"}), "", ""),
              ElementsAre(BareName{"reports.trusted_reporters[0]", "ann"}));
  EXPECT_THAT(bare_names(trusting({}), "mail", kAliases),
              ElementsAre(BareName{"reports.aliases", "ann"}));
}

TEST(BareNames, AreNoMatterWhereTheDomainIsKnown) {
  EXPECT_THAT(bare_names(trusting({"postmaster"}), "example.org", kAliases), IsEmpty());
  EXPECT_THAT(bare_names(trusting({"postmaster"}, "example.org"), "mail", kAliases), IsEmpty());
  EXPECT_THAT(bare_names(trusting({"a@example.org"}), "mail", "a@x.example b@x.example\n"),
              IsEmpty());
}

TEST(BareNames, SayWhatToDo) {
  const BareName bare{"reports.trusted_reporters[0]", "ann"};
  EXPECT_THAT(why_bare(bare, "mail"), HasSubstr("'ann' has no domain, so it is ann@mail"));
  EXPECT_THAT(why_bare(bare, ""), HasSubstr("does not know its domain; set reports.domain"));
}

}  // namespace
}  // namespace shingled::milter::reports
