#include "milter/input/message_source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::input {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::SizeIs;

/// A folder that goes with the test; names are given below it.
class MessageSourceTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const {
    return name.empty() ? folder_ : folder_ + "/" + name;
  }

  std::string write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  /// "name|bytes" of each message, names below the folder; "name|! error" of what cannot be read.
  std::vector<std::string> read(const std::vector<std::string>& arguments,
                                const MessageSource::Options& options = {
                                    .line_ends = LineEnds::kAsStored}) const {
    MessageSource source(arguments, options);
    std::vector<std::string> seen;
    while (const auto message = source.next()) {
      std::string name = message->name;
      if (name.starts_with(folder_)) name.erase(0, folder_.size() + 1);
      seen.push_back(name + "|" +
                     (message->error ? "! " + message->error->message : message->bytes) +
                     (message->cut ? "|cut" : ""));
    }
    EXPECT_EQ(source.bytes_done(), source.bytes_total());
    return seen;
  }

  const shingled::testing::TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
};

TEST_F(MessageSourceTest, AFileIsOneMessage) {
  EXPECT_THAT(read({write("a.eml", "Subject: x\n\nFrom here on\n")}),
              ElementsAre("a.eml|Subject: x\n\nFrom here on\n"));
  EXPECT_THAT(read({write("empty", "")}), ElementsAre("empty|"));
  EXPECT_THAT(read({write("binary", std::string("\0\n\xff", 3))}),
              ElementsAre("binary|" + std::string("\0\n\xff", 3)));
}

struct MboxCase {
  const char* why;
  std::string mbox;
  std::vector<std::string> messages;
};

constexpr const char* kFrom = "From a@b Sat Nov 21 09:23:47 2026\n";

const MboxCase kMboxCases[] = {
    {"two messages; the empty line before From_ belongs to neither",
     std::string(kFrom) + "A: 1\n\none\n\n" + kFrom + "B: 2\n\ntwo\n\n",
     {"A: 1\n\none\n", "B: 2\n\ntwo\n"}},
    {"the last message may lack its empty line and its line end",
     std::string(kFrom) + "A: 1\n\none\n\n" + kFrom + "B: 2\n\ntwo",
     {"A: 1\n\none\n", "B: 2\n\ntwo"}},
    {"a From_ line without an empty line before it is text",
     std::string(kFrom) + "A: 1\n\none\n" + kFrom + "two\n",
     {std::string("A: 1\n\none\n") + kFrom + "two\n"}},
    {"a sentence that begins with From is text",
     std::string(kFrom) + "A: 1\n\n\nFrom time to time: never\n",
     {"A: 1\n\n\nFrom time to time: never\n"}},
    {"quoted From lines lose one mark",
     std::string(kFrom) + "A: 1\n\n>From x\n>>From y\n> From z\n",
     {"A: 1\n\nFrom x\n>From y\n> From z\n"}},
    {"empty lines inside a message stay",
     std::string(kFrom) + "A: 1\n\none\n\n\n\ntwo\n",
     {"A: 1\n\none\n\n\n\ntwo\n"}},
    {"CRLF line ends",
     "From a@b Sat Nov 21 09:23:47 2026\r\nA: 1\r\n\r\none\r\n\r\nFrom a@b Sat Nov 21 09:23:47 "
     "2026\r\nB: 2\r\n",
     {"A: 1\r\n\r\none\r\n", "B: 2\r\n"}},
    {"a delivery agent's first line needs no date",
     "From somebody\nA: 1\n\none\n",
     {"A: 1\n\none\n"}},
    {"nothing but From_ lines", std::string(kFrom) + "\n" + kFrom, {"", ""}},
};

TEST_F(MessageSourceTest, AnMboxIsCutAtItsFromLines) {
  for (const MboxCase& c : kMboxCases) {
    SCOPED_TRACE(c.why);
    std::vector<std::string> expected;
    for (const std::string& message : c.messages) {
      expected.push_back("box#" + std::to_string(expected.size() + 1) + "|" + message);
    }
    EXPECT_THAT(read({write("box", c.mbox)}), ::testing::ElementsAreArray(expected));
  }
}

TEST_F(MessageSourceTest, AnMboxLargerThanEveryBufferKeepsItsMessages) {
  const std::string line(70, 'x');
  std::string body;
  while (body.size() < 3 * LineReader::kPieceBytesMax) body += line + "\n";
  const std::string long_line(2 * LineReader::kPieceBytesMax + 7, 'y');
  const auto seen =
      read({write("box", kFrom + body + "\n" + kFrom + long_line + "\n\n" + kFrom + "last\n")});
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(seen[0], "box#1|" + body);
  EXPECT_EQ(seen[1], "box#2|" + long_line + "\n");
  EXPECT_EQ(seen[2], "box#3|last\n");
}

TEST_F(MessageSourceTest, AMessageBeyondTheBoundIsCutAndSaysSo) {
  const MessageSource::Options options{.message_bytes_max = 8, .line_ends = LineEnds::kAsStored};
  EXPECT_THAT(read({write("a", "12345678")}, options), ElementsAre("a|12345678"));
  EXPECT_THAT(read({write("a", "123456789")}, options), ElementsAre("a|12345678|cut"));
  EXPECT_THAT(read({write("box", std::string(kFrom) + "123456789\n\n" + kFrom + "1\n")}, options),
              ElementsAre("box#1|12345678|cut", "box#2|1\n"));
}

struct LineEndCase {
  const char* why;
  std::string file;
  std::string message;
};

const LineEndCase kLineEndCases[] = {
    {"lines as Unix has them", "A: 1\n\none\n", "A: 1\r\n\r\none\r\n"},
    {"lines as a server hands them over", "A: 1\r\n\r\none\r\n", "A: 1\r\n\r\none\r\n"},
    {"both", "A: 1\r\n\none\n\r\n", "A: 1\r\n\r\none\r\n\r\n"},
    {"the last line has an end, as DATA wants it", "A: 1\n\none", "A: 1\r\n\r\none\r\n"},
    {"a last line of a carriage return alone", "A: 1\n\n\r", "A: 1\r\n\r\n\r\n"},
    {"carriage returns before a line feed are part of the line's end", "a\r\r\n", "a\r\n"},
    {"one inside a line is the line's", "a\rb\r\rc\n", "a\rb\r\rc\r\n"},
    {"nothing", "", ""},
};

TEST_F(MessageSourceTest, AFileIsReadAsTheMailItWas) {
  for (const auto& [why, file, message] : kLineEndCases) {
    EXPECT_THAT(read({write("a", file)}, {}), ElementsAre("a|" + message)) << why;
  }
  EXPECT_THAT(read({write("box", std::string(kFrom) + "A: 1\n\n>From x\n\n" + kFrom + "B: 2")}, {}),
              ElementsAre("box#1|A: 1\r\n\r\nFrom x\r\n", "box#2|B: 2\r\n"));
}

TEST_F(MessageSourceTest, ALineEndMayStandWhereThePiecesMeet) {
  for (std::size_t more = 0; more < 4; ++more) {
    const std::string line(LineReader::kPieceBytesMax - 2 + more, 'x');
    EXPECT_THAT(read({write("a", line + "\r\r\n" + line + "\rz")}, {}),
                ElementsAre("a|" + line + "\r\n" + line + "\rz\r\n"));
  }
}

TEST_F(MessageSourceTest, TheBoundCountsTheBytesOfTheMail) {
  EXPECT_THAT(read({write("a", "12\n45\n")}, {.message_bytes_max = 8}),
              ElementsAre("a|12\r\n45\r\n"));
  EXPECT_THAT(read({write("a", "12\n456\n")}, {.message_bytes_max = 8}),
              ElementsAre("a|12\r\n456\r|cut"));
}

TEST_F(MessageSourceTest, AMaildirGivesCurAndNewWithoutTrashedOnes) {
  write("Maildir/cur/1.host:2,S", "seen");
  write("Maildir/cur/2.host:2,ST", "trashed");
  write("Maildir/cur/3.T.host:2,", "a T in the name is no flag");
  write("Maildir/new/4.host", "new");
  write("Maildir/tmp/5.host", "being written");
  write("Maildir/dovecot-uidlist", "no mail");
  write("Maildir/.Sent/cur/6.host:2,S", "another folder");
  EXPECT_THAT(
      read({path("Maildir")}),
      ElementsAre("Maildir/cur/1.host:2,S|seen",
                  "Maildir/cur/3.T.host:2,|a T in the name is no flag", "Maildir/new/4.host|new"));
}

TEST_F(MessageSourceTest, ADirectoryGivesEveryFileBelowItInOrder) {
  write("spam/b.eml", "b");
  write("spam/a/z.eml", "z");
  write("spam/a/box/cur/1:2,T", "trashed");
  write("spam/a/box/new/2", "new");
  write("spam/.hidden", "hidden");
  fs::create_symlink(path("spam"), path("spam/a/loop"));
  fs::create_symlink(path("spam/b.eml"), path("spam/c.eml"));
  fs::create_symlink(path("nowhere"), path("spam/dangling"));
  ASSERT_EQ(::mkfifo(path("spam/pipe").c_str(), 0600), 0);
  EXPECT_THAT(read({path("spam")}), ElementsAre("spam/a/box/new/2|new", "spam/a/z.eml|z",
                                                "spam/b.eml|b", "spam/c.eml|b"));
}

TEST_F(MessageSourceTest, AFolderWithoutAMessageIsAnErrorAndFoldersInItAreNone) {
  fs::create_directories(path("nothing"));
  fs::create_directories(path("spam/empty"));
  for (const char* folder : {"Maildir/cur", "Maildir/new", "Maildir/tmp"}) {
    fs::create_directories(path(folder));
  }
  write("spam/a.eml", "a");
  write("Maildir/cur/1.host:2,T", "trashed");
  EXPECT_THAT(read({path("nothing"), path("spam"), path("Maildir")}),
              ElementsAre("nothing|! this folder has no messages", "spam/a.eml|a",
                          "Maildir|! this folder has no messages"));
}

TEST_F(MessageSourceTest, WhatCannotBeReadIsReportedAndTheOthersGoOn) {
  const std::string good = write("good", "x");
  EXPECT_THAT(
      read({path("missing"), good, good + "/below"}),
      ElementsAre("missing|! No such file or directory", "good|x", "good/below|! Not a directory"));
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(good, fs::perms::none);
  EXPECT_THAT(read({good}), ElementsAre("good|! Permission denied"));
}

TEST_F(MessageSourceTest, StandardInputIsTheDefault) {
  const std::string file = write("input", "from input");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"-"}}) {
    const UniqueFd input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_THAT(read(arguments, {.standard_input = input.get()}), ElementsAre("-|from input\r\n"));
  }
}

}  // namespace
}  // namespace shingled::milter::input
