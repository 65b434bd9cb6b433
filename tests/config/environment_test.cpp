// Covers config/overrides.cpp.
#include <gtest/gtest.h>

#include "config/overrides.h"

namespace shingled::config {
namespace {

TEST(Environment, MakesOverridesOfVariables) {
  using Strings = std::vector<std::string>;
  const struct {
    const char* why;
    const char* variable;
    Strings overrides;
  } cases[] = {
      {"a section and a key", "SHINGLED_MILTER__DRY_RUN=yes", {"milter.dry_run=yes"}},
      {"deeper", "SHINGLED_MILTER__ACTIONS__REJECT=8", {"milter.actions.reject=8"}},
      {"blanks, quotes, lines, '='", "SHINGLED_A__B=x='y'\n\"$z\" *", {"a.b=x='y'\n\"$z\" *"}},
      {"nothing", "SHINGLED_A__B=", {}},
      {"nothing, as YAML", "SHINGLED_A__B=null", {"a.b=null"}},
      {"a link of containers", "SHINGLED_PORT_11335_TCP=tcp://10.0.0.1", {}},
      {"no section", "SHINGLED__A=x", {}},
      {"no key", "SHINGLED_A__=x", {}},
      {"no name", "SHINGLED_=x", {}},
      {"another name", "SHINGLEDA__B=x", {}},
      {"not a variable", "SHINGLED_A__B", {}}};
  for (const auto& c : cases) {
    const char* const environment[] = {"PATH=/bin", c.variable, nullptr};
    EXPECT_EQ(environment_overrides(environment), c.overrides) << c.why;
  }
}

TEST(Environment, APartOfASectionComesAfterTheSection) {
  const char* const environment[] = {"SHINGLED_A__B__C=2", "SHINGLED_A__B={c: 1}", nullptr};
  EXPECT_EQ(environment_overrides(environment),
            (std::vector<std::string>{"a.b={c: 1}", "a.b.c=2"}));
}

}  // namespace
}  // namespace shingled::config
