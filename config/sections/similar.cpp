#include <algorithm>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::uint64_t kKilo = std::uint64_t{1} << 10;
constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;
constexpr double kScoreMost = 1e6;
constexpr std::size_t kListsMax = 100;  // each hit of a message walks through them
constexpr std::string_view kListForm = "1 to 64 letters, digits, '_', '.' or '-'";
constexpr std::string_view kListsForm =
    "a list of maps such as {name: bad-documents, score: 8}, or [] for none";

bool is_list_name(std::string_view text) {
  constexpr std::size_t kNameBytesMax = 64;
  return ascii::is_word(text, kNameBytesMax, "_.-");
}

/// "bad-documents" as SIMILAR_BAD_DOCUMENTS, at most as long as symbols may be.
std::string symbol_of_list(std::string_view name) {
  constexpr std::size_t kSymbolBytesMax = 64;
  std::string out = "SIMILAR_";
  for (const char c : name) {
    out += c == '-' || c == '.' ? '_' : ascii::to_upper(c);
  }
  return out.substr(0, kSymbolBytesMax);
}

bool read_name(Section& section, std::string& out) {
  const auto field = section.field("name");
  if (!field) {
    section.problem("name", "is missing; allowed: " + std::string(kListForm));
    return false;
  }
  const auto text = field->scalar(kListForm);
  if (!text) return false;
  if (!is_list_name(*text)) {
    field->refuse("not a valid name of a list", kListForm);
    return false;
  }
  out = *text;
  return true;
}

void load_list(const Field& item, std::vector<SimilarList>& out) {
  if (item.node().kind != YamlNode::Kind::kMap) {
    item.problem("is not a list of samples", kListsForm);
    return;
  }
  Section section(&item.node(), item.key(), item.diagnostics());
  SimilarList list;
  const bool named = read_name(section, list.name);
  list.symbol = symbol_of_list(list.name);
  load_symbol(section, list.symbol);
  section.real("score", list.score, {-kScoreMost, kScoreMost});
  section.number<std::uint32_t>("similarity_min", list.similarity_min, {0, 100});
  section.number<std::uint32_t>("shared_min", list.shared_min, {0, 100'000});
  section.boolean("good", list.good);
  if (!named) return;
  for (const SimilarList& other : out) {
    if (!equal_ignoring_case(other.name, list.name)) continue;
    section.problem("name", "the name is also given as '" + other.name +
                                "'; allowed: each name once, in any case of letters");
    return;
  }
  out.push_back(std::move(list));
}

void load_lists(Section& section, std::vector<SimilarList>& out) {
  const auto field = section.field("lists");
  if (!field) return;
  out.clear();
  if (field->is_null()) return;  // all of them commented out
  if (field->node().kind != YamlNode::Kind::kList) {
    field->problem("is not a list", kListsForm);
    return;
  }
  for (const Field& item : field->list()) {
    if (out.size() == kListsMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kListsMax));
      return;
    }
    load_list(item, out);
  }
}

/// A switched-on search must have something to do.
void check_similar(const Section& section, const SimilarOptions& out) {
  if (out.bytes_min > out.bytes_max) {
    section.problem("bytes_min", "is more than bytes_max; allowed: at most that");
  }
  if (!out.enabled) return;
  if (out.file.empty()) {
    section.problem("file",
                    "there are no samples without it; allowed: an absolute path, or "
                    "similar.enabled: false");
  }
  if (out.lists.empty()) {
    section.problem("lists",
                    "none of them counts; allowed: one or more, or similar.enabled: false");
  }
  if (!out.attachments && !out.texts) {
    section.problem("attachments",
                    "nothing of a message is looked up; allowed: attachments: true, "
                    "texts: true, or similar.enabled: false");
  }
}

}  // namespace

void load_containers(Section&& section, ContainerOptions& out) {
  using std::chrono::milliseconds;
  section.boolean("open", out.open);
  section.number<std::uint32_t>("depth_max", out.depth_max, {1, 64});
  section.number<std::uint32_t>("entries_max", out.entries_max, {1, 1'000'000});
  section.size("unpacked_max", out.unpacked_max, {kKilo, kGiga});
  section.number<std::uint32_t>("ratio_max", out.ratio_max, {1, 1'000'000});
  section.duration<milliseconds>("time_max", out.time_max, {milliseconds(1), milliseconds(60'000)});
}

void load_similar(Section&& section, SimilarOptions& out) {
  section.boolean("enabled", out.enabled);
  section.path_or_empty("file", out.file);
  section.boolean("attachments", out.attachments);
  section.boolean("texts", out.texts);
  section.size("bytes_min", out.bytes_min, {0, kGiga});
  section.size("bytes_max", out.bytes_max, {kKilo, kGiga});
  section.boolean("parts", out.parts);
  section.size("part_block_size", out.part_block_size, {64, kMega});
  load_containers(section.section("containers"), out.containers);
  load_lists(section, out.lists);
  check_similar(section, out);
}

}  // namespace shingled::config
