#include <algorithm>

#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<HistoryNames>, 3> kNames = {{{"off", HistoryNames::kOff},
                                                         {"envelope", HistoryNames::kEnvelope},
                                                         {"subject", HistoryNames::kSubject}}};
constexpr std::size_t kPeersMax = 16;
constexpr std::size_t kHistoryWindowsMax = 16;  // each costs time and space for every message
constexpr std::string_view kWindowForm =
    "10m to 24h in steps of ten minutes, or 1d to 14d, each once";

/// "90m" is nine periods of ten minutes, "14d" fourteen days of the calendar. One number with one
/// unit, as in the rules.
bool is_window(std::string_view text) {
  using std::chrono::hours;
  using std::chrono::minutes;
  if (text.find_first_not_of("0123456789") != text.size() - 1) return false;
  if (std::string_view("mhd").find(text.back()) == std::string_view::npos) return false;
  const auto time = parse_duration(text);
  if (!time || *time < minutes(10) || *time % minutes(10) != minutes(0)) return false;
  return text.back() == 'd' ? *time <= hours(24 * 14) : *time <= hours(24);
}

/// "60m" is "1h", but "24h" is not "1d".
bool is_same_window(std::string_view a, std::string_view b) {
  return (a.back() == 'd') == (b.back() == 'd') && *parse_duration(a) == *parse_duration(b);
}

void load_windows(Section& section, std::string_view key, std::vector<std::string>& out) {
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  if (field->is_null()) return;
  for (const Field& item : field->list()) {
    const auto text = item.scalar(kWindowForm);
    if (!text) continue;
    if (!is_window(*text)) {
      item.refuse("not a window", kWindowForm);
    } else if (std::ranges::any_of(
                   out, [&](const std::string& one) { return is_same_window(one, *text); })) {
      item.refuse("given twice", kWindowForm);
    } else if (out.size() == kHistoryWindowsMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kHistoryWindowsMax));
      return;
    } else {
      out.emplace_back(*text);
    }
  }
}

void load_peers(Section& section, std::string_view key, std::vector<std::string>& out) {
  constexpr std::string_view kAllowed = "URLs of at most 16 other daemons, or [] for none";
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    const bool is_url =
        word.starts_with("https://") || word.starts_with("http://") || word.starts_with("unix:/");
    if (!is_url) {
      item.refuse("not the URL of a daemon", kAllowed);
    } else if (out.size() == kPeersMax) {
      item.problem("exceeds the limit", kAllowed);
      return;
    } else {
      out.push_back(word);
    }
  }
}

void check_history(Section& section, Settings& settings) {
  if (!settings.history.enabled || !settings.history.file.empty()) return;
  section.problem("file",
                  "there is no history without it; allowed: an absolute path, or "
                  "history.enabled: false");
}

}  // namespace

Key<Settings> history_section() {
  const auto start = at_start(&Settings::history);
  const auto live = at_reload(&Settings::history);
  return map<Settings>(
      "history",
      {
          key("enabled", live(&HistoryOptions::enabled), Switch{}, "no = keep no history"),
          key("file", start(&HistoryOptions::file), Path{},
              "an SQLite database; some 300 to 500 bytes for a message, and what act_for keeps"),
          key("keep", live(&HistoryOptions::keep), Time{1h, 24h * 365},
              "older messages are removed, {}"),
          key("act_for", live(&HistoryOptions::act_for), Time{1h, 24h * 365, "never"},
              "how long `shingled report --message QUEUE-ID` can report a message, {}; meanwhile "
              "the "
              "hashes of its pieces and texts are kept, some 2 to 4 KB a message; 0 = never"),
          key("names", live(&HistoryOptions::names), OneOf(kNames),
              "which names are kept in clear, so that people can search for them: off, envelope = "
              "sender and recipients, as in every mail log, subject = also the subject"),
          key("bytes_max", live(&HistoryOptions::bytes_max), Size{kMi, 1024 * kTi},
              "of the file, {}; beyond it goes what act_for keeps of messages older than a day, "
              "then "
              "the oldest messages"),
          key("peers", live(&HistoryOptions::peers),
              Typed<std::vector<std::string>>{"list of texts", load_peers, flow_list},
              "other daemons whose messages are found here, too, such as "
              "[https://mx2.example.org:11340]; [] = none"),
          key("peers_key_file", live(&HistoryOptions::peers_key_file), Path{},
              "has a key of the role read of each of them; \"\" = none"),
          key("peers_ca_file", live(&HistoryOptions::peers_ca_file), Path{},
              "PEM, the certificates to trust there; \"\" = those of the system"),
          key("windows", live(&HistoryOptions::windows),
              Typed<std::vector<std::string>>{"list", load_windows, flow_list},
              "windows for which the counters of each message are asked, so that rules on them can "
              "be tried later: 10m to 24h in steps of ten minutes, 1d to 14d, at most 16, each for "
              "about one byte a piece; [] = no counters are kept"),
      },
      check_history);
}

}  // namespace shingled::config
