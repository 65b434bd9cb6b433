#include "milter/reports/alias_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "config/base/ascii.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::reports {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The place of the first byte in `stops` that is not within quotes; the length if there is none.
std::size_t find_outside_quotes(std::string_view text, std::string_view stops) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && stops.find(text[i]) != std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}

/// The normal form of a name or of "@domain"; nullopt if it is neither.
std::optional<std::string> normal_name(std::string_view text, std::string_view domain) {
  if (text.starts_with('@')) {
    const std::string host = mime::ascii_host(text.substr(1));
    if (host.empty()) return std::nullopt;
    return '@' + host;
  }
  auto address = mime::normal_address(text);
  if (!address) return std::nullopt;
  if (address->domain.empty()) address->domain = domain;
  return address->text();
}

/// Whether a target can be a person.
bool is_address(std::string_view target) {
  constexpr std::string_view kNoPerson = "|/:";
  std::string_view inner = target;
  if (inner.starts_with('"')) inner.remove_prefix(1);
  return !inner.empty() && kNoPerson.find(inner.front()) == std::string_view::npos;
}

/// Takes the next logical line: lines that begin with a blank continue the one before, as
/// Postfix has it. `lines`: how many there were.
std::string take_line(std::string_view& text, std::size_t& lines) {
  std::string out;
  lines = 0;
  do {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++lines;
    // A comment between two lines does not end the first one.
    const std::string_view content = trim(line);
    if (!content.starts_with('#')) out.append(line).push_back(' ');
  } while (!text.empty() && !trim(out).empty() &&
           (text.front() == ' ' || text.front() == '\t' || text.front() == '#'));
  return out;
}

}  // namespace

AliasTable AliasTable::parse(std::string_view text, std::string_view domain,
                             std::optional<Mistake>& mistake) {
  AliasTable out;
  mistake.reset();
  std::size_t line = 1;
  const auto note = [&](std::string what) {
    if (!mistake) mistake = Mistake{line, std::move(what)};
  };
  std::size_t lines = 0;
  for (; !text.empty(); line += lines) {
    const std::string logical = take_line(text, lines);
    const std::string_view content = trim(logical);
    if (content.empty()) continue;
    const std::size_t end = find_outside_quotes(content, ": \t");
    const std::string_view rest = end < content.size() ? content.substr(end + 1) : "";
    std::string_view target = trim(rest);
    target = trim(target.substr(0, find_outside_quotes(target, "#")));
    if (target.empty()) {
      note("has no target; allowed: 'NAME TARGET' or 'NAME: TARGET'");
      continue;
    }
    const bool several = find_outside_quotes(target, ", \t") < target.size();
    if (several || !is_address(target)) continue;
    const auto name = normal_name(content.substr(0, end), domain);
    const auto mailbox = normal_name(target, domain);
    if (!name || !mailbox) {
      note("is not an address and another one");
      continue;
    }
    // What a whole domain is another name of can be a domain; what a person is cannot.
    if (mailbox->starts_with('@') && !name->starts_with('@')) {
      note("says that an address is a whole domain");
      continue;
    }
    if (*name == *mailbox) continue;
    if (out.places_.size() == kEntriesMax ||
        out.text_.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
      note("is beyond the limit of " + std::to_string(kEntriesMax) + " entries");
      break;
    }
    out.add(*name, *mailbox);
  }
  out.sort();
  return out;
}

void AliasTable::add(std::string_view name, std::string_view target) {
  places_.push_back(static_cast<std::uint32_t>(text_.size()));
  text_.append(name).push_back('\0');
  text_.append(target).push_back('\0');
}

AliasTable::Entry AliasTable::entry_at(std::uint32_t place) const {
  const std::string_view name =
      std::string_view(text_).substr(place, text_.find('\0', place) - place);
  const std::size_t begin = place + name.size() + 1;
  return {name, std::string_view(text_).substr(begin, text_.find('\0', begin) - begin)};
}

void AliasTable::sort() {
  const auto name_at = [this](std::uint32_t place) { return entry_at(place).name; };
  std::stable_sort(places_.begin(), places_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return name_at(a) < name_at(b); });
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return name_at(a) == name_at(b); };
  places_.erase(std::unique(places_.begin(), places_.end(), same), places_.end());
}

std::optional<std::string_view> AliasTable::find(std::string_view name) const {
  const auto found = std::lower_bound(
      places_.begin(), places_.end(), name,
      [&](std::uint32_t place, auto wanted) { return entry_at(place).name < wanted; });
  if (found == places_.end()) return std::nullopt;
  const Entry entry = entry_at(*found);
  if (entry.name != name) return std::nullopt;
  return entry.target;
}

std::optional<std::string> AliasTable::step(std::string_view address) const {
  if (const auto target = find(address)) return std::string(*target);
  const std::size_t at = address.rfind('@');
  if (at == std::string_view::npos) return std::nullopt;
  const auto target = find(address.substr(at));
  if (!target) return std::nullopt;
  if (!target->starts_with('@')) return std::string(*target);
  return std::string(address.substr(0, at)).append(*target);
}

std::vector<std::string> AliasTable::names_of(std::string_view mailbox, std::size_t most) const {
  std::vector<std::string> out;
  for (const std::uint32_t place : places_) {
    if (out.size() == most) break;
    const Entry entry = entry_at(place);
    if (entry.target == mailbox && !entry.name.starts_with('@')) out.emplace_back(entry.name);
  }
  return out;
}

std::vector<std::string> AliasTable::targets() const {
  std::vector<std::string> out;
  for (const std::uint32_t place : places_) {
    const std::string_view target = entry_at(place).target;
    if (!target.starts_with('@')) out.emplace_back(target);
  }
  return out;
}

std::string AliasTable::mailbox_of(std::string_view address) const {
  std::string mailbox(address);
  for (std::size_t hop = 0; hop < kHopsMax; ++hop) {
    auto next = step(mailbox);
    if (!next) return mailbox;
    mailbox = *std::move(next);
  }
  // A circle, or a chain that is too long: nobody can say who that is.
  return std::string(address);
}

}  // namespace shingled::milter::reports
