#include "config/sections/sections.h"
#include "config/words/list_words.h"

namespace shingled::config {

namespace {

/// Calls `take` with each word of a list that does not name a file; false = not a valid entry.
/// `noun`: "network", for problems that quote the word; empty = they do not.
template <typename Entry, typename Take>
void load_entries(Section& section, std::string_view key, std::string_view form,
                  std::string_view noun, std::vector<Entry>& out, std::vector<std::string>& files,
                  Take take) {
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  const std::string allowed = std::string(form) + ", or the path of a file of them";
  for (const auto& [item, word] : field->words(allowed)) {
    if (take_file(item, word, files) || take(word)) continue;
    item.problem(noun.empty() ? "is not a valid entry of this list"
                              : in_quotes(word) + " is not a " + std::string(noun),
                 allowed);
  }
}

/// Puts an entry into a list; false if it is not there.
template <typename Entry>
bool append(std::vector<Entry>& list, std::optional<Entry> entry) {
  if (!entry) return false;
  list.push_back(*std::move(entry));
  return true;
}

}  // namespace

bool take_file(const Field& item, std::string_view word, std::vector<std::string>& files) {
  constexpr std::string_view kScheme = "file://";
  const std::string_view path = word.starts_with(kScheme) ? word.substr(kScheme.size()) : word;
  if (path.starts_with('/')) {
    files.emplace_back(path);
    return true;
  }
  if (word.find("://") == std::string_view::npos) return false;
  item.problem("lists are not fetched from elsewhere", "entries, or the absolute path of a file");
  return true;
}

void load_networks(Section& section, std::string_view key, std::vector<Network>& out,
                   std::vector<std::string>& files) {
  load_entries(section, key, kNetworkForm, "network", out, files, [&](std::string_view word) {
    const auto networks = network_word(word);
    if (networks) out.insert(out.end(), networks->begin(), networks->end());
    return networks.has_value();
  });
}

void load_recipients(Section& section, std::string_view key, std::vector<std::string>& out,
                     std::vector<std::string>& files) {
  load_entries(section, key, kRecipientForm, "recipient", out, files,
               [&](std::string_view word) { return append(out, recipient_word(word)); });
}

void load_key_ids(Section& section, std::string_view key,
                  std::vector<std::array<std::uint8_t, 64>>& out, std::vector<std::string>& files) {
  load_entries(section, key, kKeyIdForm, "", out, files,
               [&](std::string_view word) { return append(out, key_id_word(word)); });
}

void load_digests(Section& section, std::string_view key,
                  std::vector<std::array<std::uint8_t, 64>>& out, std::vector<std::string>& files) {
  load_entries(section, key, kDigestForm, "", out, files,
               [&](std::string_view word) { return append(out, digest_word(word)); });
}

}  // namespace shingled::config
