// Covers mime/hash_message.cpp, mime/rule_hasher.cpp: real mail against the packets of rspamd.
// How many of the packets a real rspamd sent for the same mails we make, too: all rules of
// hashes.json, hashes-2.json, corpus-hashes.json and corpus-hashes-4.json. Every mail that differs
// is listed, and the shares may only grow.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/base/hex.h"
#include "mime/analyze.h"
#include "tests/mime/vectors.h"

namespace shingled::mime {
namespace {

using nlohmann::json;

struct VectorFile {
  std::string why, name, mail_folder;
  Compat compat;
  double packets_floor, mails_floor;  ///< shares of equal packets and of mails equal in all packets
};

void PrintTo(const VectorFile& file, std::ostream* out) { *out << file.name; }

HashAlgorithm algorithm(const std::string& name) {
  if (name == "siphash") return HashAlgorithm::kSiphash;
  if (name == "xxhash") return HashAlgorithm::kXxhash;
  return name == "fasthash" ? HashAlgorithm::kFasthash : HashAlgorithm::kMumhash;
}

std::string text_or_empty(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

HashOptions hash_options(const json& rule) {
  HashOptions options;
  options.algorithm = algorithm(rule["algorithm"]);
  options.fuzzy_key = text_or_empty(rule["fuzzy_key"]);
  options.fuzzy_shingles_key = text_or_empty(rule["fuzzy_shingles_key"]);
  options.min_length = rule["min_length"];
  options.min_bytes = rule["min_bytes"];
  options.text_multiplier = rule.value("text_multiplier", options.text_multiplier);
  options.text_shingles = rule.value("text_shingles", options.text_shingles);
  options.no_subject = rule.value("no_subject", options.no_subject);
  options.mime_types = rule.value("mime_types", options.mime_types);
  options.min_width = rule.value("min_width", options.min_width);
  options.min_height = rule.value("min_height", options.min_height);
  options.text_hashes = rule.value("text_hashes", true);
  options.skip_images = rule.value("skip_images", options.skip_images);
  options.scan_archives = rule.value("scan_archives", options.scan_archives);
  options.html_shingles = rule.value("html_shingles", false);
  return options;
}

/// A packet as one text: rule, digest and shingles. A mail's packets are a multiset of them.
using Packets = std::multiset<std::string>;

Packets packets_of(const Analysis& analysis, const json& rules) {
  Packets packets;
  for (const json& rule : rules) {
    for (const PartHash& hash : hash_message(analysis, HashRule(hash_options(rule)))) {
      std::string packet =
          rule["name"].get<std::string>() + " " + to_hex(hash.fingerprint.digest.bytes);
      if (hash.fingerprint.shingles) {
        for (const auto shingle : *hash.fingerprint.shingles)
          packet += " " + std::to_string(shingle);
      }
      packets.insert(std::move(packet));
    }
  }
  return packets;
}

Packets packets_of(const json& list) {
  Packets packets;
  for (const json& entry : list) {
    const json& digest = entry.contains("digest") ? entry["digest"] : entry["digest_hex"];
    std::string packet = entry["rule"].get<std::string>() + " " + digest.get<std::string>();
    if (entry.contains("shingles") && !entry["shingles"].is_null()) {
      for (const json& shingle : entry["shingles"]) packet += " " + shingle.get<std::string>();
    }
    packets.insert(std::move(packet));
  }
  return packets;
}

std::size_t count_common(const Packets& a, const Packets& b) {
  std::vector<std::string> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.size();
}

std::vector<std::string> fields_of(const std::string& packet) {
  std::istringstream in(packet);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Slots in which two packets of one rule have the same shingle.
std::ptrdiff_t shared_slots(const std::string& a, const std::string& b) {
  constexpr std::ptrdiff_t kBeforeShingles = 2;  // rule and digest
  const auto x = fields_of(a);
  const auto y = fields_of(b);
  if (x.size() != y.size() || x.front() != y.front()) return 0;
  return std::inner_product(x.begin() + kBeforeShingles, x.end(), y.begin() + kBeforeShingles,
                            std::ptrdiff_t{0}, std::plus<>(), std::equal_to<>());
}

/// Texts that we make other words of, and in how many the shingles are still a match.
struct WordDifferences {
  std::size_t texts = 0;
  std::size_t alike = 0;

  void add(const Packets& ours, const Packets& theirs, const std::string& structure_rule) {
    constexpr std::size_t kFields = 2 + 32;
    constexpr std::ptrdiff_t kSlotsAlike = 16;  // more than these are a match
    std::vector<std::string> differing;
    std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                        std::back_inserter(differing));
    for (const std::string& packet : differing) {
      const auto fields = fields_of(packet);
      if (fields.size() != kFields || fields.front() == structure_rule) continue;
      ++texts;
      alike += std::any_of(ours.begin(), ours.end(), [&packet](const std::string& own) {
        return shared_slots(own, packet) > kSlotsAlike;
      });
    }
  }
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What rspamd may have sent: its usual outcome and those its random language vote also led to.
std::vector<Packets> outcomes(const json& vectors, const std::string& mail) {
  std::vector<Packets> all{packets_of(vectors["mails"][mail])};
  const auto found = vectors["unstable"].find(mail);
  if (found == vectors["unstable"].end() || !found->is_object()) return all;
  for (const json& other : (*found)["others"]) all.push_back(packets_of(other));
  return all;
}

class HashVectors : public ::testing::TestWithParam<VectorFile> {};

TEST_P(HashVectors, AreMadeOfTheSameMails) {
  const VectorFile& file = GetParam();
  SHINGLED_LOAD_VECTORS(vectors, file.name);
  MimeOptions options;
  options.compat = file.compat;
  std::size_t packets = 0;
  std::size_t packets_equal = 0;
  std::size_t mails = 0;
  std::size_t mails_equal = 0;
  WordDifferences words;
  const json unasked =
      vectors["about"].value("gtube", json::object()).value("mails", json::array());
  for (const auto& [mail, list] : vectors["mails"].items()) {
    // On a test string rspamd answers before it hashes.
    if (std::find(unasked.begin(), unasked.end(), mail) != unasked.end()) continue;
    ++mails;
    const std::string bytes = read_file(SHINGLED_SHARED_DIR + file.mail_folder + mail);
    const Packets ours = packets_of(analyze(bytes, options), vectors["rules"]);
    std::size_t best_common = 0;
    std::size_t best_size = 0;
    Packets closest;
    bool equal = false;
    for (const Packets& theirs : outcomes(vectors, mail)) {
      const std::size_t common = count_common(ours, theirs);
      if (best_size == 0 || common > best_common) {
        best_common = common;
        best_size = theirs.size();
        closest = theirs;
      }
      equal = equal || ours == theirs;
    }
    packets += best_size;
    packets_equal += best_common;
    mails_equal += equal ? 1U : 0U;
    if (!equal) {
      words.add(ours, closest, "html");
      std::cout << "  differs: " << mail << ", " << best_common << " of " << best_size
                << " packets, ours " << ours.size() << "\n";
    }
  }
  const double packets_share = static_cast<double>(packets_equal) / static_cast<double>(packets);
  const double mails_share = static_cast<double>(mails_equal) / static_cast<double>(mails);
  std::cout << "  equal: " << packets_equal << " of " << packets << " packets, " << mails_equal
            << " of " << mails << " mails\n"
            << "  of " << words.texts << " differing texts in the words form, " << words.alike
            << " agree in more than 16 slots\n";
  EXPECT_GE(packets_share, file.packets_floor) << file.why;
  EXPECT_GE(mails_share, file.mails_floor) << file.why;
}

INSTANTIATE_TEST_SUITE_P(
    Rspamd, HashVectors,
    ::testing::Values(VectorFile{"8 rules over mails made for each corner of HASHING.md",
                                 "hashes.json", "/vectors/mail/", Compat::kRspamd3, 1, 1},
                      VectorFile{"and over more corners", "hashes-2.json", "/vectors/mail/",
                                 Compat::kRspamd3, 1, 1},
                      VectorFile{"rspamd 3.4 over real mail", "corpus-hashes.json", "/corpus/",
                                 Compat::kRspamd3, 0.9979, 0.996},
                      VectorFile{"rspamd 4.1.6 over real mail", "corpus-hashes-4.json", "/corpus/",
                                 Compat::kRspamd4, 0.994, 0.989}));

}  // namespace
}  // namespace shingled::mime
