// Covers locks and assertions, which the product has from config/base alone, and how long what a
// call returned is kept.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

/// Files where a bare mutex is right, and why.
const std::map<std::string_view, std::string_view> kBareMutexes = {
    {"milter/process/log_sink.cpp", "a parameter of spdlog's sink, which locks it"}};

// -Wthread-safety knows Guarded and Mutex (config/base/guarded.h). It does not know std::mutex, so
// what that guards is only said in comments.
TEST(Tidy, LocksAreThoseThatTheAnalysisKnows) {
  static const std::regex kBare(R"(\bstd::(recursive_|shared_|timed_|shared_timed_)*mutex\b)");
  std::set<std::string_view> used;
  for (const std::string& name : files()) {
    if (!is_product_code(name) || folder_of(name) == "config/base") continue;
    for (const std::string& line : lines_of(name)) {
      if (line.find("mutex") == std::string::npos || !std::regex_search(line, kBare)) continue;
      const auto exception = kBareMutexes.find(name);
      if (exception != kBareMutexes.end()) {
        used.insert(exception->first);
        continue;
      }
      ADD_FAILURE() << name << ": " << line << "\ntake Guarded or Mutex of config/base/guarded.h";
    }
  }
  for (const auto& [name, why] : kBareMutexes) {
    EXPECT_TRUE(used.contains(name)) << name << " has no bare mutex any more";
  }
}

// In C++20 `for (auto& file : view()->files)` walks over what the pointer that view() returned may
// have been the last to hold, and `auto& row = table_.lock()->row` is used without the lock. ASan
// and TSan say so only if another thread comes between.
TEST(Tidy, WhatACallReturnedIsKeptWhileItIsUsed) {
  static const std::regex kWalked(R"(for \([^;()]* : ([^;()]|\([^()]*\))*\(\)->)");
  static const std::regex kReferred(R"(&&? \w+ = [^;]*\block\(\)->)");
  EXPECT_TRUE(std::regex_search("for (const auto& file : view()->files) sum += 1;", kWalked));
  EXPECT_TRUE(std::regex_search("Row& row = state_.lock()->rows[i];", kReferred));
  for (const std::string& name : files()) {
    if (!is_product_code(name)) continue;
    for (const std::string& line : lines_of(name)) {
      if (line.find("()->") == std::string::npos) continue;
      EXPECT_FALSE(std::regex_search(line, kWalked))
          << name << ": " << line << "\ngive what the call returns a name before the loop";
      EXPECT_FALSE(std::regex_search(line, kReferred))
          << name << ": " << line << "\ngive what lock() returns a name, so that it stays locked";
    }
  }
}

// assert() is off in a release, and its message names the path of the build machine.
TEST(Tidy, AssertionsAreOurs) {
  static const std::regex kPlain(R"((^|[^_\w])assert\(|<cassert>|<assert\.h>)");
  for (const std::string& name : files()) {
    if (!is_product_code(name)) continue;
    for (const std::string& line : lines_of(name)) {
      if (line.find("assert") == std::string::npos) continue;
      EXPECT_FALSE(std::regex_search(line, kPlain))
          << name << ": " << line << "\ntake SHINGLED_ASSERT or SHINGLED_DEBUG_ASSERT";
    }
  }
}

}  // namespace
}  // namespace shingled::tidy
