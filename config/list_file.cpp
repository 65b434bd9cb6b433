#include "config/list_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "config/sections/sections.h"
#include "config/words/list_words.h"

namespace shingled::config {

namespace {

/// Calls `take` with each word; the first word that it refuses is the error.
template <typename Take>
Status for_each_word(std::string_view text, std::string_view allowed, Take take) {
  constexpr std::string_view kBetween = ", \t\r";
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(kBetween), line.size()));
      if (line.empty()) break;
      const std::string_view word = line.substr(0, line.find_first_of(kBetween));
      line.remove_prefix(word.size());
      if (take(word)) continue;
      return Error{ErrorCode::kInvalid,
                   "line " + std::to_string(number) +
                       ": is not a valid entry of this list; allowed: " + std::string(allowed)};
    }
  }
  return {};
}

/// The entries that `read` makes of the words.
template <typename Entry>
Result<std::vector<Entry>> parse_entries(std::string_view text, std::string_view allowed,
                                         std::optional<Entry> (*read)(std::string_view)) {
  std::vector<Entry> out;
  const Status status = for_each_word(text, allowed, [&](std::string_view word) {
    auto entry = read(word);
    if (entry) out.push_back(*std::move(entry));
    return entry.has_value();
  });
  if (!status) return status.error();
  return out;
}

}  // namespace

Result<std::vector<Network>> parse_networks(std::string_view text) {
  std::vector<Network> out;
  const Status status = for_each_word(text, kNetworkForm, [&](std::string_view word) {
    const auto networks = network_word(word);
    if (networks) out.insert(out.end(), networks->begin(), networks->end());
    return networks.has_value();
  });
  if (!status) return status.error();
  return out;
}

Result<std::vector<std::array<std::uint8_t, 64>>> parse_key_ids(std::string_view text) {
  return parse_entries(text, kKeyIdForm, key_id_word);
}

Result<std::vector<std::array<std::uint8_t, 64>>> parse_digests(std::string_view text) {
  return parse_entries(text, kDigestForm, digest_word);
}

Result<std::vector<std::string>> parse_recipients(std::string_view text) {
  return parse_entries(text, kRecipientForm, recipient_word);
}

Result<std::vector<Keypair>> parse_keypairs(std::string_view text) {
  Diagnostics diagnostics("");
  std::vector<Keypair> out;
  const auto root = parse_yaml(text, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  if (root && root->kind != YamlNode::Kind::kList && root->kind != YamlNode::Kind::kMap &&
      root->kind != YamlNode::Kind::kNull) {
    diagnostics.add(root->position, "", "is not a list of key pairs");
  } else if (root) {
    load_keypairs(Field(*root, "keypair", diagnostics), out, nullptr);
  }
  if (diagnostics.empty()) return out;
  const Problem first = diagnostics.problems().front();
  return Error{ErrorCode::kInvalid, "line " + std::to_string(first.line) + ": " +
                                        (first.key.empty() ? "" : first.key + ": ") + first.what};
}

}  // namespace shingled::config
