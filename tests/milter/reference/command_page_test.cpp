// Covers milter/reference/system_page.h, too. Real readers read the pages in tests/e2e.
#include "milter/reference/command_page.h"

#include <gtest/gtest.h>

#include "milter/reference/system_page.h"

namespace shingled::milter::reference {
namespace {

constexpr const char* kSystem =
    ".TH SHINGLED 8 2026-11-23 shingled \"x\"\n.SH COMMANDS\n.TP\n.BR add \", \" del\nTeach or "
    "forget.\n.IP\nMore.\n.TP\n.B \"list all\"\nFirst.\n.TP\n.B \"list some\"\nSecond.\n.PP\nAll "
    "of "
    "them.\n.SH OPTIONS\n.TP\n.B add\nNot this.\n";

CommandFacts command(const std::string& name) {
  CommandFacts out;
  out.name = name;
  out.text = "Do something";
  out.notes = ".starts with a dot\n\nA second paragraph.";
  out.example = "  shingled x 'a' \\ ~ \xE2\x86\x92 \xC3";
  out.options.push_back({{"-c", "--config"}, "FILE", {}, "A file", false, false});
  out.options.push_back({{"--tcp"}, "yes|no", {"yes", "no"}, "Ask (if needed)", false, true});
  out.arguments.push_back({{"messages"}, "FILE|-", {}, "What", false, true});
  return out;
}

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(CommandPage, HasTheTextOfTheSystemPage) {
  const std::string page = command_page(command("del"), kSystem);
  EXPECT_TRUE(page.starts_with(".TH SHINGLED\\-DEL 1 2026-11-23 shingled")) << page;
  EXPECT_TRUE(has(page, ".SH NAME\nshingled\\-del \\- do something\n"));
  EXPECT_TRUE(has(page, ".SH DESCRIPTION\nTeach or forget.\n.PP\nMore.\n.SH NOTES\n"));
  EXPECT_FALSE(has(page, "Not this"));
  const std::string list = command_page(command("list"), kSystem);
  EXPECT_TRUE(has(list, ".TP\n.B \"list all\"\nFirst.\n.TP\n.B \"list some\"\nSecond.\n.SH NOTES"));
  EXPECT_FALSE(has(list, "All of them"));
}

TEST(CommandPage, QuotesWhatRoffWouldObey) {
  const std::string page = command_page(command("other"), kSystem);
  EXPECT_TRUE(
      has(page, ".SH DESCRIPTION\nDo something.\n.PP\n\\&.starts with a dot\n.PP\nA second"))
      << page;
  EXPECT_TRUE(has(page, "shingled x \\(aqa\\(aq \\e \\(ti \\[u2192] \\[u0003]\n"));
}

TEST(CommandPage, ListsOptions) {
  const std::string page = command_page(command("add"), kSystem);
  EXPECT_TRUE(has(page, ".TP\n\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fIFILE\\fR\nA file.\n")) << page;
  EXPECT_TRUE(has(page, "\\fB\\-\\-tcp\\fR \\fByes|no\\fR\nAsk (if needed)\nRepeatable.\n"));
}

TEST(ProgramPage, NamesEachCommand) {
  CommandFacts root;
  root.text = "A milter.";
  root.verbs = {command("add")};
  const std::string page = program_page(root, kSystem);
  EXPECT_TRUE(has(page, "shingled \\- a milter\n")) << page;
  EXPECT_TRUE(has(page, ".BR shingled\\-add (1)\nDo something.\n"));
}

TEST(SystemPage, IsCompiledIn) {
  EXPECT_TRUE(system_page().starts_with(".TH SHINGLED 8 "));
  EXPECT_NE(system_page().find("\n.SH COMMANDS\n"), std::string_view::npos);
  EXPECT_NE(system_page().find("\n.SH SEE ALSO\n"), std::string_view::npos);
}

}  // namespace
}  // namespace shingled::milter::reference
