#include "milter/terminal/terminal_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::terminal {

namespace {

struct Case {
  const char* why;
  std::string_view text;
  std::string_view shown;
};

const Case kCases[] = {
    {"plain text is shown", "invoice 1.pdf", "invoice 1.pdf"},
    {"letters of all scripts are shown", "r\xC3\xA9sum\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80",
     "r\xC3\xA9sum\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80"},
    {"ESC begins a sequence", "\x1b[31mred", "\\x1b[31mred"},
    {"line ends and tabs are controls", "a\r\n\tb", "a\\x0d\\x0a\\x09\x62"},
    {"DEL", "a\x7f", "a\\x7f"},
    {"CSI of C1 begins a sequence as ESC does", "\xC2\x9B\x33\x31m", "\\u009b31m"},
    {"the last of C1; a no-break space is none", "\xC2\x9F\xC2\xA0", "\\u009f\xC2\xA0"},
    {"an override shows exe.fdp as pdf.exe", "\xE2\x80\xAE\x66\x64p.exe", "\\u202efdp.exe"},
    {"isolates of direction", "\xE2\x81\xA6-\xE2\x81\xA9", "\\u2066-\\u2069"},
    {"marks of direction", "\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", "\\u200e\\u200f\\u061c"},
    {"separators of lines and paragraphs", "\xE2\x80\xA8\xE2\x80\xA9", "\\u2028\\u2029"},
    {"a byte that is no UTF-8 may be C1 to a terminal in Latin-1", "\x9B\x33m", "\\x9b3m"},
    {"a sequence cut short", "a\xE2\x80", "a\\xe2\\x80"},
    {"a long form", "\xC0\x9B", "\\xc0\\x9b"},
    {"a long form of three", "\xE0\x82\x9B", "\\xe0\\x82\\x9b"},
    {"half a pair of UTF-16", "\xED\xA0\x80", "\\xed\\xa0\\x80"},
    {"beyond Unicode", "\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
};

TEST(TerminalSafe, ShowsNothingThatATerminalObeys) {
  for (const auto& [why, text, shown] : kCases) EXPECT_EQ(terminal_safe(text), shown) << why;
}

TEST(TerminalSafe, JsonStaysTheSameToAProgram) {
  for (const std::string_view text :
       {"a\xC2\x9B\x33m", "\xE2\x80\xAE\x66\x64p", "\x7f", "caf\xC3\xA9"}) {
    const std::string json = nlohmann::json(std::string(text)).dump();
    const std::string safe = terminal_safe_json(json);
    EXPECT_EQ(nlohmann::json::parse(safe).get<std::string>(), text);
    EXPECT_EQ(terminal_safe(safe), safe) << "nothing is left to escape";
  }
  EXPECT_EQ(terminal_safe_json("{\"a\":\"\xC2\x9B\"}"), "{\"a\":\"\\u009b\"}");
}

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

}  // namespace shingled::milter::terminal
