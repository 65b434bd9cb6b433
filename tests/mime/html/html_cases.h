#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/mime/unmetered.h"

namespace shingled::mime {

/// What a live rspamd printed for a piece of HTML, and why it is looked at.
struct HtmlCase {
  std::string_view why, html, expected;
};

inline void expect_all(const std::vector<HtmlCase>& cases, Compat compat) {
  for (const HtmlCase& c : cases) {
    EXPECT_EQ(read_html(c.html, {}, compat).content, c.expected) << c.why << ": " << c.html;
  }
}

}  // namespace shingled::mime
