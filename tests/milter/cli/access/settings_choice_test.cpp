// Covers milter/desk/own_folder.cpp, too.
#include "milter/cli/access/settings_choice.h"

#include <gtest/gtest.h>

#include "milter/desk/own_folder.h"

namespace shingled::milter::cli {
namespace {

TEST(StateFolder, IsWhereTheUsersSurroundingsSay) {
  struct Case {
    const char* why;
    desk::StateHome home;
    std::optional<std::string> folder;
  };
  const Case cases[] = {
      {"root makes /var/lib/shingled", {0, "/home/a/state", "/home/a"}, std::nullopt},
      {"what XDG names", {1000, "/home/a/state", "/home/a"}, "/home/a/state/shingled"},
      {"its default", {1000, "", "/home/a"}, "/home/a/.local/state/shingled"},
      {"a relative one is none", {1000, "state", "/home/a"}, "/home/a/.local/state/shingled"},
      {"nobody's home", {65534, "", ""}, std::nullopt},
  };
  for (const Case& one : cases) EXPECT_EQ(desk::own_state_folder(one.home), one.folder) << one.why;
}

TEST(StateFolder, HoldsWhatIsNotNamed) {
  Settings settings;
  settings.storage.engine.hashfile = "/srv/fuzzy.db";
  settings.ratelimit.file = "";
  settings.counters.shared.journal_directory = "/srv/journal";
  desk::keep_files_in("/home/a/state", settings);
  EXPECT_EQ(settings.storage.engine.hashfile, "/srv/fuzzy.db");
  EXPECT_EQ(settings.ratelimit.file, "") << "none stays none";
  EXPECT_EQ(settings.similar.file, "/home/a/state/similar.db");
  EXPECT_EQ(settings.reports.file, "/home/a/state/reports.db");
  EXPECT_EQ(settings.counters.embedded.directory, "/home/a/state/counters");
  EXPECT_EQ(settings.counters.shared.journal_directory, "/srv/journal");
}

}  // namespace
}  // namespace shingled::milter::cli
