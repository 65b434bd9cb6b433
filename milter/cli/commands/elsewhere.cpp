#include "milter/cli/commands/elsewhere.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/base/clock.h"
#include "milter/cli/access/printing.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/explained_match.h"
#include "milter/view/amount_text.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kDigits = 16;  // enough for `explain`
/// One message is judged at a time there, and a whole file may be read.
constexpr std::chrono::seconds kPatience{120};

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool is_set(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

const Json& array_in(const Json& object, const char* name) {
  static const Json kNone = Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : kNone;
}

/// "FUZZY_DENIED (11) value 3, ..."
std::string elsewhere_lists(const Json& hash) {
  std::string out;
  for (const Json& flag : array_in(hash, "flags")) {
    if (!flag.is_object()) continue;
    out += fmt::format("{}{} ({}) value {}", out.empty() ? "" : ", ",
                       terminal_safe(text_of(flag, "symbol")), number_in(flag, "flag"),
                       number_in(flag, "value"));
  }
  return out;
}

bool is_on(const Json& hash, std::optional<std::uint32_t> flag) {
  const Json& lists = array_in(hash, "flags");
  return std::ranges::any_of(lists, [&](const Json& list) {
    return list.is_object() && (!flag || number_in(list, "flag") == std::int64_t{*flag});
  });
}

/// The case of what people reported of a hash; null if there is none.
Json case_of(const api::DaemonClient& daemon, const Json& hash) {
  const std::string matched = text_of(hash, "matched");
  if (matched.empty()) return nullptr;
  const auto known = daemon.get("/api/1/hashes/" + matched);
  if (!known) return nullptr;
  const auto by = known->find("taught_by");
  return by != known->end() && by->is_object() ? (*by)["case"] : Json(nullptr);
}

TableRow checked_row(const Json& hash) {
  TableRow row = {text_of(hash, "part").empty() ? "-" : terminal_safe(text_of(hash, "part")),
                  terminal_safe(text_of(hash, "kind")),
                  terminal_safe(text_of(hash, "digest").substr(0, kDigits)),
                  terminal_safe(text_of(hash, "rule")), terminal_safe(text_of(hash, "server"))};
  const std::string result = terminal_safe(text_of(hash, "result"));
  if (hash.contains("error")) {
    row.push_back("unknown (" + result + ")");
  } else if (result != "hit") {
    row.push_back(result);
  } else {
    row.push_back(elsewhere_lists(hash));
    row.push_back(fmt::format("{} of {} slots", number_in(hash, "slots"), kShingleCount));
  }
  return row;
}

/// What the answer of the daemon means for the exit code; tells of each failure once.
int report_answer(const input::SourceMessage& message, const Json& answer, Console& console) {
  int worst = EX_OK;
  std::vector<std::string> told;
  for (const Json& hash : array_in(answer, "hashes")) {
    if (!hash.is_object() || !hash.contains("error")) continue;
    const bool late = text_of(hash, "result") == "timeout";
    worst = worse_exit_code(worst, late ? EX_TEMPFAIL : EX_UNAVAILABLE);
    std::string text = terminal_safe(text_of(hash, "server") + ": " + text_of(hash, "error"));
    if (std::ranges::find(told, text) != told.end()) continue;
    console.error(message.name, text);
    told.push_back(std::move(text));
  }
  const std::int64_t unasked = number_in(answer, "unasked");
  if (unasked == 0) return worst;
  console.error(
      message.name,
      fmt::format("{} look-ups not made: milter.lookups_max of the daemon is reached", unasked));
  return worse_exit_code(worst, EX_DATAERR);
}

}  // namespace

void take_daemon(desk::ServerArguments& server, SettingsArguments& settings) {
  const auto url = std::ranges::find_if(server.servers, [](const std::string& text) {
    return text.find("://") != std::string::npos;
  });
  if (url == server.servers.end()) return;
  settings.daemon.server = *url;
  server.servers.erase(url);
}

int check_elsewhere(const MessageArguments& messages, std::optional<std::uint32_t> flag, bool json,
                    const Settings& settings, Console& console) {
  SystemClock clock;
  const api::DaemonClient daemon = desk::daemon_of(settings, clock);
  const auto check = [&](const input::SourceMessage& message) {
    const auto answer =
        daemon.post("/api/1/scan", std::string(message.bytes), "message/rfc822", kPatience);
    if (!answer) {
      console.error(message.name, terminal_safe(answer.error().message));
      return service_exit_code(answer.error());
    }
    const Json& hashes = array_in(*answer, "hashes");
    const auto found =
        std::ranges::count_if(hashes, [&](const Json& hash) { return is_on(hash, flag); });
    const auto unknown =
        std::ranges::count_if(hashes, [](const Json& hash) { return hash.contains("error"); });
    if (json) {
      Json lookups = hashes;
      for (Json& one : lookups) {
        if (!one.is_object()) continue;
        one["further"] = nullptr;
        one["case"] = case_of(daemon, one);
      }
      console.json({{"file", message.name},
                    {"found", found == 0 && unknown > 0 ? Json(nullptr) : Json(found > 0)},
                    {"unknown", unknown},
                    {"lookups", std::move(lookups)},
                    {"unasked", number_in(*answer, "unasked")},
                    {"incomplete", is_set(*answer, "incomplete")}});
    } else if (hashes.empty()) {
      console.line(terminal_safe(message.name) +
                   ": no hash: the message is too short for these rules");
    } else {
      console.line(fmt::format("{}: {} of {} look-ups found{}", terminal_safe(message.name), found,
                               hashes.size(),
                               unknown == 0 ? "" : fmt::format(", {} unknown", unknown)));
      std::vector<TableRow> rows = {{"part", "kind", "asked", "rule", "server", "answer"}};
      for (const Json& one : hashes) rows.push_back(checked_row(one));
      print_table(rows, "  ", console);
      for (const Json& one : hashes) {
        const Json named = case_of(daemon, one);
        if (named.is_string())
          console.line("  " + terminal_safe(text_of(one, "digest").substr(0, kDigits)) +
                       " is in case " + terminal_safe(named.get<std::string>()));
      }
    }
    return report_answer(message, *answer, console);
  };
  return for_each_message(messages, {.message_bytes_max = settings.milter.message_bytes_max},
                          console, check);
}

int list_elsewhere(const storage::formats::RowChoice& choice, const std::string& order,
                   std::size_t most, bool json, const Settings& settings, Console& console) {
  SystemClock clock;
  std::string target = fmt::format("/api/1/hashes/list?order={}&most={}&since={}&until={}", order,
                                   most, choice.updated_least, choice.updated_most);
  if (choice.flag) target += fmt::format("&flag={}", *choice.flag);
  if (choice.value_least) target += fmt::format("&least={}", *choice.value_least);
  if (!choice.digest.empty()) target += "&digest=" + choice.digest;
  const auto answer = desk::daemon_of(settings, clock).get(std::move(target), kPatience);
  if (!answer) {
    console.error("list", terminal_safe(answer.error().message));
    return service_exit_code(answer.error());
  }
  if (!json) {
    console.line(fmt::format("{:<16}  {:>7}  {:>7}  {:<8}  {}", "digest", "taught", "created",
                             "kind", "lists"));
  }
  const auto age = [&](const Json& hash, const char* name) {
    return view::age_text(std::chrono::duration_cast<std::chrono::seconds>(
        clock.wall() - WallTime(std::chrono::seconds(number_in(hash, name)))));
  };
  for (const Json& hash : array_in(*answer, "hashes")) {
    if (!hash.is_object()) continue;
    if (json) {
      console.json(hash);
      continue;
    }
    std::string lists = elsewhere_lists(hash);
    if (hash.contains("hits")) lists = fmt::format("{} hits, {}", number_in(hash, "hits"), lists);
    console.line(fmt::format("{}  {:>7}  {:>7}  {:<8}  {}",
                             terminal_safe(text_of(hash, "digest").substr(0, kDigits)),
                             age(hash, "updated"), age(hash, "created"),
                             is_set(hash, "shingles") ? "shingles" : "-", lists));
  }
  return EX_OK;
}

}  // namespace shingled::milter::cli
