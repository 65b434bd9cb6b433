#include "milter/view/lines/message_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shingled::milter::view {

namespace {

const Json& member(const Json& object, const char* name) {
  static const Json null;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? null : *found;
}

std::string text_in(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? terminal::terminal_safe(value.get<std::string>()) : "";
}

double number_in(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_number() ? value.get<double>() : 0;
}

bool is_true(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}

/// The elements of a list; none if it is something else.
const Json& list_in(const Json& object, const char* name) {
  static const Json nothing = Json::array();
  const Json& value = member(object, name);
  return value.is_array() ? value : nothing;
}

std::string evidence_text(const Json& message) {
  std::string out;
  for (const Json& evidence : list_in(message, "evidence")) {
    out += fmt::format("{}{} {:.2f}", out.empty() ? "" : ", ", text_in(evidence, "symbol"),
                       number_in(evidence, "score"));
    if (const std::string place = text_in(evidence, "place"); !place.empty())
      out += fmt::format(" [{}]", place);
    if (const std::string effect = text_in(evidence, "effect"); effect != "counts")
      out += fmt::format(" ({})", effect);
  }
  return out;
}

/// What was special about the verdict.
std::vector<std::string> remarks_of(const Json& message) {
  std::vector<std::string> out;
  if (is_true(message, "unseen")) out.emplace_back("judged without a look at it");
  if (is_true(message, "failed")) out.emplace_back("the failure policy decided");
  if (is_true(message, "incomplete"))
    out.emplace_back("some of it was not looked at, or not answered");
  if (is_true(message, "dry_run")) out.emplace_back("dry run: the action was not carried out");
  return out;
}

/// "mass 12, complainers 2"; "0" if there is nothing.
std::string sums_text(const Json& sums) {
  std::string out;
  if (!sums.is_object()) return out;
  for (const auto& [name, count] : sums.items())
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", terminal::terminal_safe(name),
                       count.dump());
  return out.empty() ? "0" : out;
}

void print_counters(const Json& message, terminal::Console& console) {
  const Json& pieces = list_in(message, "counters");
  if (pieces.empty()) return;
  console.line("counters, as they were before the message:");
  std::vector<terminal::TableRow> rows;
  rows.push_back({"type", "piece"});
  std::vector<std::string> windows;
  for (const Json& window : list_in(message, "windows"))
    if (window.is_string()) windows.push_back(window.get<std::string>());
  for (const std::string& window : windows) rows[0].push_back(terminal::terminal_safe(window));
  for (const Json& piece : pieces) {
    terminal::TableRow row = {text_in(piece, "type"), text_in(piece, "piece")};
    for (const std::string& window : windows)
      row.push_back(is_true(piece, "known")
                        ? sums_text(member(member(piece, "sums"), window.c_str()))
                        : "unknown");
    rows.push_back(std::move(row));
  }
  terminal::print_table(rows, "  ", console);
}

void print_names(const Json& message, terminal::Console& console) {
  const auto name = [&](const char* what, const std::string& text) {
    if (!text.empty()) console.line(fmt::format("  {} {}", what, text));
  };
  name("from", text_in(message, "sender"));
  std::string recipients;
  for (const Json& recipient : list_in(message, "recipients"))
    if (recipient.is_string())
      recipients += (recipients.empty() ? "" : " ") + recipient.get<std::string>();
  name("to", terminal::terminal_safe(recipients));
  name("subject", text_in(message, "subject"));
}

void print_evidence(const Json& message, terminal::Console& console) {
  std::vector<terminal::TableRow> rows;
  for (const Json& evidence : list_in(message, "evidence"))
    rows.push_back(
        {text_in(evidence, "symbol"), fmt::format("{:.2f}", number_in(evidence, "score")),
         text_in(evidence, "effect"),
         is_true(evidence, "policy") ? "a rule of the policy" : text_in(evidence, "place")});
  if (rows.empty()) return;
  console.line("evidence:");
  terminal::print_table(rows, "  ", console);
}

void print_features(const Json& message, terminal::Console& console) {
  std::vector<terminal::TableRow> rows;
  const Json& features = member(message, "features");
  if (!features.is_object()) return;
  for (const auto& [name, value] : features.items()) {
    if (value.is_null()) continue;
    rows.push_back({terminal::terminal_safe(name),
                    value.is_boolean()  ? value.get<bool>() ? "yes" : "no"
                    : value.is_string() ? terminal::terminal_safe(value.get<std::string>())
                                        : value.dump()});
  }
  if (rows.empty()) return;
  console.line("features:");
  terminal::print_table(rows, "  ", console);
}

}  // namespace

terminal::TableRow message_row(const Json& message) {
  const std::string label = text_in(message, "label");
  return {text_in(message, "time"),
          text_in(message, "queue_id"),
          text_in(message, "action"),
          fmt::format("{:.2f}", number_in(message, "score")),
          label.empty() ? "" : "reported " + label,
          evidence_text(message)};
}

void print_message(const Json& message, terminal::Console& console) {
  console.line(fmt::format("{}  {}  {}, score {:.2f}", text_in(message, "time"),
                           text_in(message, "queue_id"), text_in(message, "action"),
                           number_in(message, "score")));
  print_names(message, console);
  if (const std::string label = text_in(message, "label"); !label.empty())
    console.line("  reported as " + label);
  if (is_true(message, "can_report"))
    console.line("  can be reported: shingled report --spam|--ham --message " +
                 text_in(message, "id"));
  for (const std::string& remark : remarks_of(message)) console.line("  " + remark);
  print_evidence(message, console);
  print_features(message, console);
  print_counters(message, console);
}

}  // namespace shingled::milter::view
