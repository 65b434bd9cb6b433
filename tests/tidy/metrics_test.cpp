// Covers the names, kinds and help texts of all metrics: those of the code are those of
// tests/data/metrics.txt (UPDATE_GOLDEN=1 writes it). Dashboards and alarms rely on them. Those of
// a source of evidence are made of its figures (milter/mta/mail_counters.h), not written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

const std::string kGolden = SHINGLED_SOURCE_DIR "/tests/data/metrics.txt";

/// The literals of `"one " "two"` as one text.
std::string joined(const std::string& literals) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    const bool escaped = literals[i] == '\\';
    if (literals[i] == '"') {
      inside = !inside;
    } else if (inside) {
      out += literals[escaped ? ++i : i];
    }
  }
  return out;
}

/// Where a metric is told says its kind: before it `gauge(`, or behind it in a table `kGauge`. One
/// with a name of its own is told by that name.
std::string kind_of(const std::string& text, const std::smatch& match, std::size_t at) {
  static const std::regex kCall(R"((counter|gauge|histogram)\(\s*$)");
  static const std::regex kNamed(R"(MetricName (\w+)(?: = )?$)");
  static const std::regex kInTable(R"(^[^&]*kGauge)");
  const std::string before = text.substr(at < 80 ? 0 : at - 80, std::min<std::size_t>(at, 80));
  std::smatch found;
  if (std::regex_search(before, found, kCall)) return found[1];
  if (std::regex_search(before, found, kNamed)) {
    const std::regex use("(counter|gauge|histogram)\\(\\s*" + found[1].str() + "\\b");
    return std::regex_search(text, found, use) ? found[1].str() : "counter";
  }
  const std::string behind = text.substr(at + match.str().size(), 120);
  return std::regex_search(behind, kInTable) ? "gauge" : "counter";
}

/// "NAME KIND HELP" of each metric of the code.
std::string metrics_of_the_code() {
  static const std::regex kMetric(
      R"re(\{\s*"(shingled_[a-z0-9_]+)",\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)\s*\})re");
  std::map<std::string, std::string> metrics;
  for (const std::string& name : files()) {
    if (!is_product_code(name)) continue;
    const std::string text = read(name);
    if (text.find("{\"shingled_") == std::string::npos) continue;  // the expression is slow
    for (std::sregex_iterator it(text.begin(), text.end(), kMetric), end; it != end; ++it) {
      const std::string metric = (*it)[1];
      const std::string line =
          kind_of(text, *it, static_cast<std::size_t>(it->position())) + ' ' + joined((*it)[2]);
      const auto [known, fresh] = metrics.emplace(metric, line);
      EXPECT_EQ(known->second, line) << metric << " is told in two ways, again in " << name;
    }
  }
  std::string out;
  for (const auto& [metric, line] : metrics) out.append(metric).append(" ").append(line) += '\n';
  return out;
}

TEST(Metrics, HaveTheNamesKindsAndTextsTheyHad) {
  const std::string now = metrics_of_the_code();
  EXPECT_GT(std::count(now.begin(), now.end(), '\n'), 60);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(kGolden) << now;
  std::ifstream file(kGolden);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(now, golden.str());
}

}  // namespace
}  // namespace shingled::tidy
