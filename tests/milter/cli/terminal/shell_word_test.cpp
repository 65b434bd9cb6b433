#include "milter/cli/terminal/shell_word.h"

#include <gtest/gtest.h>

namespace shingled::milter::cli {
namespace {

TEST(ShellWord, IsReadByAShellAsItWasMeant) {
  const struct {
    const char* why;
    const char* text;
    const char* word;
  } cases[] = {
      {"a path", "/etc/shingled/a-b_1.yaml", "/etc/shingled/a-b_1.yaml"},
      {"a setting", "storage.listen=127.0.0.1:11335", "storage.listen=127.0.0.1:11335"},
      {"a blank", "/srv/my mail.yaml", "'/srv/my mail.yaml'"},
      {"YAML's brackets", "storage.allow_update=[192.0.2.1]", "'storage.allow_update=[192.0.2.1]'"},
      {"a quote", "it's", "'it'\\''s'"},
      {"what a shell would do", "$(reboot);*", "'$(reboot);*'"},
      {"a home", "~/x", "'~/x'"},
      {"nothing", "", "''"},
  };
  for (const auto& c : cases) EXPECT_EQ(shell_word(c.text), c.word) << c.why;
}

}  // namespace
}  // namespace shingled::milter::cli
