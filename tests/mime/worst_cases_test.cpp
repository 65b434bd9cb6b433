// Covers mime/analysis_parts.cpp, mime/hash_message.cpp: messages made to cost the most.
// The worst cases of tests/bench by what they make of their bytes instead of by the clock: each
// stage's result stays within its bounds and grows no faster than the message.
#include "tests/bench/worst_cases.h"

#include <gtest/gtest.h>

#include <string>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"

namespace shingled::mime {
namespace {

/// Everything the stages of a message hold, in elements and bytes. A nested message is seen in its
/// own parts; its body is a view, one for each level.
std::size_t result_size(const Analysis& analysis) {
  const Analysis::Parts& parts = analysis.parts();
  std::size_t size = parts.subject.size();
  for (const MailPart& part : parts.mail.parts) {
    size += 1 + part.path.size() + part.type.boundary.size() + part.file_name().size();
    if (!part.is_message()) size += part.body.size();
  }
  WorkMeter meter(parts.work_left);
  for (std::size_t i = 0; i < parts.mail.parts.size(); ++i) {
    if (!parts.is_text(i)) continue;
    TextStages text;
    read_text(parts, i, meter, text);
    size += text.content.size() + text.html.links.size() + text.html.elements.size();
    size += text.words.line.text.size() + text.words.exceptions.size() + text.words.tokens.size();
    size += text.words.stems.glued().size();
  }
  return size;
}

TEST(WorstCases, MakeNoMoreThanLinearlyMuch) {
  constexpr std::size_t kBytes = std::size_t{32} * 1024;
  constexpr std::size_t kFactorMax = 12;  // a ligature of 3 bytes is a word of 33
  for (const WorstCase& worst : worst_cases()) {
    SCOPED_TRACE(worst.name);
    const std::string one = worst.make(kBytes);
    const std::string two = worst.make(2 * kBytes);
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
      MimeOptions options;
      options.compat = compat;
      const std::size_t single = result_size(analyze(one, options));
      const std::size_t twice = result_size(analyze(two, options));
      EXPECT_LE(single, kFactorMax * one.size());
      EXPECT_LE(twice, single + kFactorMax * (two.size() - one.size()));
    }
  }
}

TEST(WorstCases, StayWithinTheBoundsOfTheOptions) {
  MimeOptions options;
  options.parts_max = 20;
  options.depth_max = 4;
  options.text_bytes_max = 5000;
  options.words_max = 300;
  options.part_bytes_max = 8000;
  options.header_bytes_max = 4000;
  options.header_line_bytes_max = 1024;
  for (const WorstCase& worst : worst_cases()) {
    SCOPED_TRACE(worst.name);
    const std::string message = worst.make(std::size_t{64} * 1024);
    const Analysis analysis = analyze(message, options);
    const Analysis::Parts& parts = analysis.parts();
    EXPECT_LE(parts.mail.parts.size(), options.parts_max);
    for (const MailPart& part : parts.mail.parts) {
      EXPECT_LT(part.depth, options.depth_max);
      EXPECT_LE(part.body.size(), options.part_bytes_max);
    }
    WorkMeter meter(parts.work_left);
    for (std::size_t i = 0; i < parts.mail.parts.size(); ++i) {
      if (!parts.is_text(i)) continue;
      TextStages text;
      read_text(parts, i, meter, text);
      EXPECT_LE(text.words.line.text.size(), options.text_bytes_max + 1);
      EXPECT_LE(text.words.tokens.size(), options.words_max + text.words.exceptions.size());
    }
  }
}

}  // namespace
}  // namespace shingled::mime
