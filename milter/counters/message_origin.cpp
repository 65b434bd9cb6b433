#include "milter/counters/message_origin.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/pieces/header_text.h"

namespace shingled::milter::counters {

namespace {

constexpr std::size_t kDateBytesMax = 256;
constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};

/// The words of a date in lower case, without comments and commas.
std::vector<std::string> date_words(std::string_view text) {
  std::vector<std::string> words(1);
  std::size_t depth = 0;
  for (const char c : text.substr(0, kDateBytesMax)) {
    if (c == '(') ++depth;
    const bool ends = depth > 0 || c == ',' || ascii::is_space(c);
    if (c == ')' && depth > 0) --depth;
    if (!ends) {
      words.back() += ascii::to_lower(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<int> parse_year(std::string_view word) {
  const auto year = parse_whole<int>(word, 0, 9999);
  if (!year || word.size() < 2) return std::nullopt;
  if (word.size() > 3) return year;
  const bool this_century = word.size() == 2 && *year < 50;
  return *year + (this_century ? 2000 : 1900);
}

/// "10:00" or "10:00:00".
std::optional<std::chrono::seconds> parse_time(std::string_view word) {
  std::array<int, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const std::size_t colon = word.find(':');
    const auto number = parse_whole<int>(word.substr(0, colon), 0, count == 0 ? 23 : 60);
    if (!number) return std::nullopt;
    parts[count++] = *number;
    if (colon == std::string_view::npos) break;
    word.remove_prefix(colon + 1);
    if (count == parts.size()) return std::nullopt;
  }
  if (count < 2) return std::nullopt;
  return std::chrono::hours(parts[0]) + std::chrono::minutes(parts[1]) +
         std::chrono::seconds(parts[2]);
}

/// The offset from UTC; an unknown name counts as UTC (RFC 5322 4.3).
std::chrono::minutes zone_of(std::string_view word) {
  struct Zone {
    std::string_view name;
    int hours;
  };
  constexpr std::array<Zone, 8> kZones = {{{"est", -5},
                                           {"edt", -4},
                                           {"cst", -6},
                                           {"cdt", -5},
                                           {"mst", -7},
                                           {"mdt", -6},
                                           {"pst", -8},
                                           {"pdt", -7}}};
  for (const Zone& zone : kZones) {
    if (zone.name == word) return std::chrono::hours(zone.hours);
  }
  if (word.size() != 5 || (word[0] != '+' && word[0] != '-')) return std::chrono::minutes(0);
  const auto hours = parse_whole<int>(word.substr(1, 2), 0, 99);
  const auto minutes = parse_whole<int>(word.substr(3, 2), 0, 59);
  if (!hours || !minutes) return std::chrono::minutes(0);
  const std::chrono::minutes offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return word[0] == '-' ? -offset : offset;
}

}  // namespace

std::optional<WallTime> parse_mail_date(std::string_view text) {
  const std::vector<std::string> words = date_words(text);
  std::size_t at = 0;
  if (!words.empty() && !ascii::is_digit(words[0][0])) at = 1;  // the day of the week
  if (words.size() < at + 4) return std::nullopt;
  const auto day = parse_whole<unsigned>(words[at], 1, 31);
  const auto* const month = std::find(kMonths.begin(), kMonths.end(), words[at + 1].substr(0, 3));
  const auto year = parse_year(words[at + 2]);
  const auto time = parse_time(words[at + 3]);
  if (!day || month == kMonths.end() || !year || !time) return std::nullopt;
  const auto number = static_cast<unsigned>(month - kMonths.begin()) + 1;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(number),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  const auto zone = words.size() > at + 4 ? zone_of(words[at + 4]) : std::chrono::minutes(0);
  return WallTime(std::chrono::sys_days(date) + *time - zone);
}

std::string_view message_id_of(std::span<const mime::HeaderField> fields) {
  for (const mime::HeaderField& field : fields) {
    if (!ascii::equal_ignoring_case(field.name, "Message-ID")) continue;
    if (const auto id = ascii::trim_space(field.value); !id.empty()) return id;
  }
  return {};
}

std::uint64_t history_id(const CounterKeyBytes& site, std::string_view message_id) {
  const std::string_view id = ascii::trim_space(message_id);
  if (id.empty()) return 0;
  // No type of pieces has this number, so that it is the shingle of no piece.
  constexpr std::string_view kPrefix("\xFF\xFFmessage-id ", 13);
  const std::uint64_t name = fingerprint::siphash(site, std::string(kPrefix).append(id));
  return std::max<std::uint64_t>(name, 1);
}

namespace {

constexpr std::size_t kReceivedMax = 100;

std::string first_value(std::span<const mime::HeaderField> fields, std::string_view name) {
  for (const mime::HeaderField& field : fields) {
    if (ascii::equal_ignoring_case(field.name, name)) return mime::single_spaced(field.value);
  }
  return {};
}

/// A name that a server found for an address; "unknown" means none.
std::string host_before(std::string_view text) {
  text = ascii::trim_space(text);
  const std::size_t begin = text.find_last_of(" (");
  if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
  if (ascii::equal_ignoring_case(text, "unknown") || text.find('.') == std::string_view::npos) {
    return {};
  }
  return std::string(text);
}

/// The text between two others; empty if they are not there.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string() : std::string(text.substr(0, end));
}

/// What a Received field says about the client.
enum class Client : std::uint8_t { kStranger, kOurs, kUnreadable };

/// The text of a field before its " by ". A HELO may have any text, and it stands before what the
/// server wrote itself; so all searches begin at the end.
std::string_view from_part(std::string_view received) {
  received = received.substr(0, received.rfind(" for <"));
  return received.substr(0, received.rfind(" by "));
}

/// Where the address begins in "from HELO (NAME [IP]) (...)", or, as Exim writes it,
/// "from NAME ([IP] helo=HELO)"; npos if there is none.
std::size_t find_address(std::string_view from) {
  const std::size_t last = std::max(from.rfind("])") + 1, from.rfind("] (may be forged)") + 1);
  const std::size_t begin = last == 0 ? from.find('[') : from.rfind('[', last - 1);
  if (begin == std::string_view::npos) return begin;
  const bool is_helo = from.substr(0, begin).ends_with("helo=");
  return is_helo ? from.find('[') : begin;
}

/// Reads "from HELO (NAME [IP]) by ...". What our own servers hand to each other is ours.
Client read_client(std::string_view received, const std::vector<Network>& local,
                   Envelope& envelope) {
  if (!ascii::starts_with_ignoring_case(received, "from ")) return Client::kOurs;
  const std::string_view from = from_part(received);
  if (received.substr(from.size()).find(" with LMTP") != std::string_view::npos)
    return Client::kOurs;
  const std::size_t begin = find_address(from);
  if (begin == std::string_view::npos) return Client::kUnreadable;
  std::string text = between(from.substr(begin), "[", "]");
  if (ascii::starts_with_ignoring_case(text, "IPv6:")) text.erase(0, 5);
  const auto ip = IpAddress::parse(text);
  if (!ip) return Client::kUnreadable;
  if (contains(local, *ip)) return Client::kOurs;
  const std::string_view before = from.substr(5, begin - 5);
  envelope.client = ip;
  envelope.helo = std::string(before.substr(0, before.find(' ')));
  envelope.client_name = host_before(before);
  envelope.user = between(received.substr(begin), "(Authenticated sender: ", ")");
  return Client::kStranger;
}

}  // namespace

bool is_own_hop(std::string_view value, const std::vector<Network>& local) {
  Envelope ignored;
  return read_client(mime::single_spaced(value), local, ignored) == Client::kOurs;
}

MessageOrigin origin_of(std::span<const mime::HeaderField> fields,
                        const std::vector<Network>& local) {
  MessageOrigin origin;
  // By preference.
  std::array<std::pair<const char*, std::string>, 3> delivered = {
      {{"X-Original-To", ""}, {"Envelope-To", ""}, {"Delivered-To", ""}}};
  std::string recipient;  // as our servers received it
  // Fields below the first stranger's were written by strangers.
  auto client = Client::kOurs;
  std::size_t seen = 0;
  for (const mime::HeaderField& field : fields) {
    if (client != Client::kOurs) break;
    for (auto& [name, value] : delivered) {
      if (value.empty() && ascii::equal_ignoring_case(field.name, name))
        value = mime::single_spaced(field.value);
    }
    if (!ascii::equal_ignoring_case(field.name, "Received")) continue;
    if (++seen > kReceivedMax) break;
    const std::string received = mime::single_spaced(field.value);
    const std::size_t end = received.rfind(';');
    if (seen == 1 && end != std::string::npos) {
      origin.time = parse_mail_date(std::string_view(received).substr(end + 1));
    }
    client = read_client(received, local, origin.envelope);
    if (recipient.empty()) recipient = between(received, " for <", ">");
  }
  if (!origin.time) origin.time = parse_mail_date(first_value(fields, "Date"));
  origin.envelope.sender = first_value(fields, "Return-Path");
  for (auto named = delivered.rbegin(); named != delivered.rend(); ++named)
    if (!named->second.empty()) recipient = named->second;
  if (!recipient.empty()) origin.envelope.recipients.push_back(std::move(recipient));
  return origin;
}

}  // namespace shingled::milter::counters
