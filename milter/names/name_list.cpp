#include "milter/names/name_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "config/words/nearest_word.h"

namespace shingled::milter::names {

namespace {

using Form = NameRow::Form;

constexpr std::size_t kRemarkBytesMax = 200;

/// The words of the options of `shingled allow`, too.
constexpr auto kOtherWords = std::to_array<std::pair<std::string_view, Name>>({
    {"domain", Name::kFromDomain},
    {"list-id", Name::kListId},
    {"dkim", Name::kDkimDomain},
});

std::optional<Name> name_of_word(std::string_view word) {
  if (const NameRow* row = features::find_name(word)) return row->name;
  for (const auto& [other, name] : kOtherWords)
    if (other == word) return name;
  return std::nullopt;
}

std::string key_of(Name name, std::string_view text) {
  std::string key(1, static_cast<char>(name));
  return key.append(text);
}

/// Where the remark begins: a '#' at the beginning or after a blank. In a text, which may have
/// one itself ("Ticket #12"), another blank must be after it.
std::size_t find_remark(std::string_view line, bool text) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    const bool before = at == 0 || ascii::is_space(line[at - 1]);
    const bool after = !text || at == 0 || at + 1 == line.size() || ascii::is_space(line[at + 1]);
    if (before && after) return at;
  }
  return line.size();
}

std::string words_of(const ListForm& form) {
  std::string out;
  for (const Name name : names_of(form))
    out += (out.empty() ? "" : ", ") + std::string(features::row_of(name).word);
  return out;
}

}  // namespace

bool is_allow_name(Name name) {
  switch (name) {
    case Name::kFrom:
    case Name::kFromDomain:
    case Name::kListId:
    case Name::kClient:
    case Name::kDkimDomain:
    case Name::kRecipient:
      return true;
    default:
      return false;
  }
}

bool is_block_name(Name name) {
  switch (name) {
    case Name::kFrom:
    case Name::kFromDomain:
    case Name::kSender:
    case Name::kSenderDomain:
    case Name::kListId:
    case Name::kClient:
    case Name::kClientDomain:
    case Name::kDkimDomain:
      return true;
    default:
      return false;
  }
}

namespace {

bool has_name(const ListForm& form, Name name) {
  switch (form.kind) {
    case ListForm::Kind::kAllow:
      return is_allow_name(name);
    case ListForm::Kind::kBlock:
      return is_block_name(name);
    case ListForm::Kind::kOne:
      break;
  }
  return name == form.name;
}

}  // namespace

std::vector<Name> names_of(const ListForm& form) {
  std::vector<Name> out;
  for (const NameRow& row : features::names())
    if (has_name(form, row.name)) out.push_back(row.name);
  return out;
}

ListLine split_line(std::string_view line, const ListForm& form) {
  const bool one = form.kind == ListForm::Kind::kOne;
  const bool text = one && features::row_of(form.name).form == Form::kText;
  ListLine out;
  const std::size_t remark = find_remark(line, text);
  if (remark < line.size()) out.remark = ascii::trim_space(line.substr(remark + 1));
  line = ascii::trim_space(line.substr(0, remark));
  out.entry = line;
  if (text) return out;
  const std::size_t blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) return out;
  const auto name = name_of_word(line.substr(0, blank));
  if (!name) return out;
  out.name = name;
  out.entry = ascii::trim_space(line.substr(blank));
  return out;
}

NameList::NameList(std::string_view text, const ListForm& form) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    add_line(text.substr(0, end), line, form);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  std::ranges::sort(bits_, std::greater<>());
}

NameList NameList::of(const NameRow& row, const std::vector<NameEntry>& entries) {
  NameList out;
  for (const NameEntry& entry : entries) out.add(row.name, entry, 0, {});
  std::ranges::sort(out.bits_, std::greater<>());
  return out;
}

void NameList::problem(std::size_t line, std::string what) {
  if (++problem_count_ <= kListProblemsMax) problems_.push_back({line, std::move(what)});
}

void NameList::add_line(std::string_view text, std::size_t line, const ListForm& form) {
  if (text.size() > kEntryBytesMax) {
    problem(line, fmt::format("is longer than {} bytes", kEntryBytesMax));
    return;
  }
  const ListLine read = split_line(text, form);
  if (read.entry.empty() && !read.name) return;
  const bool one = form.kind == ListForm::Kind::kOne;
  if (!one && !read.name) {
    std::vector<std::string> words;
    for (const Name name : names_of(form)) words.emplace_back(features::row_of(name).word);
    const std::string word(read.entry.substr(0, read.entry.find_first_of(" \t")));
    const auto meant = config::nearest_word(word, words);
    problem(line, fmt::format("does not begin with one of {}{}", words_of(form),
                              meant ? "; did you mean '" + *meant + "'?" : ""));
    return;
  }
  const Name name = read.name.value_or(form.name);
  if (!has_name(form, name)) {
    // A file may be shared by conditions on several names.
    if (one) return;
    problem(line, fmt::format("'{}' is not a name of this list; allowed: {}",
                              features::row_of(name).word, words_of(form)));
    return;
  }
  const auto entry = read_name_entry(features::row_of(name), read.entry);
  if (!entry) {
    problem(line, entry.error().message);
  } else if (size_ == kListEntriesMax) {
    if (problem_count_ == 0 || problems_.back().line != 0)
      problem(0, fmt::format("has more than {} entries; line {} and all behind it are left out",
                             kListEntriesMax, line));
  } else {
    add(name, *entry, line, read.remark);
  }
}

void NameList::add(Name name, const NameEntry& entry, std::size_t line, std::string_view remark) {
  remark = remark.substr(0, kRemarkBytesMax);
  const Place place{static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(remarks_.size()),
                    static_cast<std::uint16_t>(remark.size())};
  if (!texts_.emplace(key_of(name, entry.text), place).second) return;  // the first counts
  remarks_ += remark;
  ++size_;
  if (!entry.network) return;
  const auto bits = static_cast<std::uint8_t>(entry.network->prefix_bits);
  if (std::ranges::find(bits_, bits) == bits_.end()) bits_.push_back(bits);
}

std::optional<NameMatch> NameList::match(std::string_view key, const std::string& value) const {
  const auto found = texts_.find(key);
  if (found == texts_.end()) return std::nullopt;
  const Place& place = found->second;
  return NameMatch{value, found->first.substr(1), place.line,
                   remarks_.substr(place.remark, place.remark_bytes)};
}

std::optional<NameMatch> NameList::find_domain(Name name, std::string_view domain,
                                               const std::string& value, bool exact) const {
  if (exact) {
    if (auto found = match(key_of(name, domain), value)) return found;
  }
  // A value is at most as long as a line of SMTP, so that its labels are bounded.
  std::string key = key_of(name, ".");
  key += domain;
  while (key.size() > 2) {
    if (auto found = match(key, value)) return found;
    const std::size_t dot = key.find('.', 2);
    if (dot == std::string::npos) break;
    key.erase(1, dot - 1);
  }
  return std::nullopt;
}

std::optional<NameMatch> NameList::find_address(Name name, const std::string& value) const {
  for (const std::string& form : forms_of_address(value)) {
    if (auto found = match(key_of(name, form), value)) return found;
    const std::size_t at = form.rfind('@');
    const std::string local = form.substr(0, at) + '@';
    if (auto found = match(key_of(name, local), value)) return found;
    const std::string_view domain = domain_part(form);
    if (domain.empty()) continue;
    if (auto found = match(key_of(name, std::string("@").append(domain)), value)) return found;
    if (auto found = find_domain(name, domain, value, /*exact=*/false)) return found;
  }
  return std::nullopt;
}

std::optional<NameMatch> NameList::find_network(Name name, const std::string& value) const {
  const auto ip = IpAddress::parse(value);
  if (!ip) return std::nullopt;
  for (const std::uint8_t bits : bits_) {
    if (bits > ip->bits()) continue;
    const std::string text = Network::of(*ip, bits).to_string();
    if (auto found = match(key_of(name, text), value)) return found;
  }
  return std::nullopt;
}

std::optional<NameMatch> NameList::find(Name name, const std::string& value) const {
  if (size_ == 0) return std::nullopt;
  switch (features::row_of(name).form) {
    case Form::kAddress:
      return find_address(name, value);
    case Form::kDomain:
      return find_domain(name, value, value, /*exact=*/true);
    case Form::kNetwork:
      return find_network(name, value);
    case Form::kText:
      break;
  }
  return match(key_of(name, value), value);
}

Found look_up(const NameList& list, Name as, const features::MessageNames& names, Name name) {
  if (list.size() == 0) return {Found::Answer::kNo};
  if (!names.is_known(name)) return {Found::Answer::kUnknown};
  for (const std::string& value : names.values(name)) {
    if (auto match = list.find(as, value)) return {Found::Answer::kYes, std::move(match)};
  }
  return {names.is_complete(name) ? Found::Answer::kNo : Found::Answer::kUnknown};
}

}  // namespace shingled::milter::names
