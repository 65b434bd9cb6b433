#include <algorithm>

#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/sections/settings_keys.h"

namespace shingled::config {

namespace {

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

/// Leaves it empty if it is not valid. The symbol follows it, if none is given.
void read_list_name(Section& section, std::string_view key, SimilarList& out) {
  const auto field = section.field(key);
  if (!field) {
    section.problem(key, "is missing; allowed: " + std::string(kListForm));
  } else if (const auto text = field->scalar(kListForm)) {
    if (is_list_name(*text)) {
      out.name = *text;
    } else {
      field->refuse("not a valid name of a list", kListForm);
    }
  }
  out.symbol = symbol_of_list(out.name);
}

void load_list(const Field& item, std::vector<SimilarList>& out) {
  if (item.node().kind != YamlNode::Kind::kMap) {
    item.problem("is not a list of samples", kListsForm);
    return;
  }
  Section section(&item.node(), item.key(), item.diagnostics());
  SimilarList list;
  read_keys(section, similar_list_keys(), list);
  if (list.name.empty()) return;
  for (const SimilarList& other : out) {
    if (!equal_ignoring_case(other.name, list.name)) continue;
    section.problem("name", "the name is also given as '" + other.name +
                                "'; allowed: each name once, in any case of letters");
    return;
  }
  out.push_back(std::move(list));
}

void load_lists(Section& section, std::string_view key, std::vector<SimilarList>& out) {
  const auto field = section.field(key);
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
void check_similar(Section& section, Settings& settings) {
  const SimilarOptions& out = settings.similar;
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

const Keys<SimilarList>& similar_list_keys() {
  static const Keys<SimilarList> keys = [] {
    const auto list = at_reload_of<SimilarList>();
    return Keys<SimilarList>{
        required_key(
            "name", list,
            Typed<SimilarList>{"text", read_list_name,
                               [](const SimilarList& one) { return flow_scalar(one.name); }}),
        key("symbol", list(&SimilarList::symbol),
            Typed<std::string>{"text",
                               [](Section& section, std::string_view key, std::string& out) {
                                 load_symbol(section, key, out);
                               },
                               [](const std::string& symbol) { return flow_scalar(symbol); }}),
        key("score", list(&SimilarList::score), Real{-kScoreMost, kScoreMost}),
        key("similarity_min", list(&SimilarList::similarity_min), Number{0, 100}),
        key("shared_min", list(&SimilarList::shared_min), Number{0, 100'000}),
        key("good", list(&SimilarList::good), Switch{}),
    };
  }();
  return keys;
}

Keys<Settings> container_keys(const Place<Settings, ContainerOptions>& place,
                              std::string_view unpacked_help) {
  return {
      key("open", place(&ContainerOptions::open), Switch{}, "no = do not open containers"),
      key("depth_max", place(&ContainerOptions::depth_max), Number{1, 64},
          "nesting levels of containers, {}"),
      key("entries_max", place(&ContainerOptions::entries_max), Number{1, 1'000'000},
          "files in one attachment, {}"),
      key("unpacked_max", place(&ContainerOptions::unpacked_max), Size{kKi, kGi}, unpacked_help),
      key("ratio_max", place(&ContainerOptions::ratio_max), Number{1, 1'000'000},
          "unpacked bytes for each packed byte, {}"),
      key("time_max", place(&ContainerOptions::time_max), Time{1ms, 1min},
          "for one attachment, {}"),
  };
}

Key<Settings> similar_section() {
  const auto start = at_start(&Settings::similar);
  const auto live = at_reload(&Settings::similar);
  return map<Settings>(
      "similar",
      {
          key("enabled", live(&SimilarOptions::enabled), Switch{},
              "yes = look up attachments or texts of messages"),
          key("file", start(&SimilarOptions::file), Path{}, "the library of samples"),
          key("attachments", live(&SimilarOptions::attachments), Switch{},
              "yes = look up attachments"),
          key("texts", live(&SimilarOptions::texts), Switch{}, "yes = look up decoded texts, too"),
          key("bytes_min", live(&SimilarOptions::bytes_min), Size{0, kGi},
              "smaller pieces are not looked up, {}: short ones are similar by chance"),
          key("bytes_max", live(&SimilarOptions::bytes_max), Size{kKi, kGi},
              "larger pieces are not looked up, {}"),
          key("parts", start(&SimilarOptions::parts), Switch{},
              "yes = also find parts: about 10 KB of a sample inside another file; needs a larger "
              "index"),
          key("part_block_size", start(&SimilarOptions::part_block_size), Size{64, kMi},
              "average bytes for each character of a part, {}; fixed once the library exists"),
          map("containers", container_keys(live(&SimilarOptions::containers),
                                           "unpacked bytes of all of them, {}; a message takes up "
                                           "to three times as much memory")),
          key("lists", live(&SimilarOptions::lists),
              Typed<std::vector<SimilarList>>{
                  "list of maps", load_lists,
                  [](const std::vector<SimilarList>& /*lists*/) { return std::string("[]"); }},
              "[] = none"),
      },
      check_similar);
}

}  // namespace shingled::config
