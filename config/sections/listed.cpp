#include "config/sections/sections.h"
#include "config/words/list_words.h"

namespace shingled::config {

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
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  const std::string allowed = std::string(kNetworkForm) + ", or the path of a file of them";
  for (const auto& [item, word] : field->words(allowed)) {
    if (take_file(item, word, files)) continue;
    if (const auto networks = network_word(word)) {
      out.insert(out.end(), networks->begin(), networks->end());
    } else {
      item.problem(quoted(word) + " is not a network", allowed);
    }
  }
}

}  // namespace shingled::config
