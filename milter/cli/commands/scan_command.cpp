#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "milter/actions/apply.h"
#include "milter/cli/access/message_option.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/envelope_arguments.h"
#include "milter/cli/output/evidence_output.h"
#include "milter/cli/output/further_matches.h"
#include "milter/cli/output/lookup_output.h"
#include "milter/cli/similar/sample_client.h"
#include "milter/counters/envelope.h"
#include "milter/desk/counters/policy_counters.h"
#include "milter/features/message_features.h"
#include "milter/judge/tried_message.h"
#include "milter/view/feature_json.h"
#include "milter/view/model_json.h"
#include "milter/view/scan_json.h"

namespace shingled::milter::cli {

namespace {

struct ScanArguments {
  SettingsArguments settings;
  MessageArguments messages;
  EnvelopeArguments envelope;
  bool json = false;
  bool features = false;
  bool verbose = false;
};

Json scan_json(const input::SourceMessage& message, const rules::Facts& facts,
               const actions::Decision& decision, const Settings& settings,
               desk::FurtherMatches& further) {
  const rules::Verdict& verdict = decision.verdict;
  Json lookups = Json::array();
  for (const rules::Lookup& lookup : facts.lookups) {
    lookups.push_back(lookup_json(lookup, settings.rules[lookup.rule_index]));
    lookups.back()["further"] = further.of(lookup, settings.rules[lookup.rule_index]);
  }
  Json object = {{"file", message.name},
                 {"action", rules::to_string(verdict.action)},
                 {"reason", verdict.reason},
                 {"score", verdict.score},
                 {"required", verdict.required ? Json(*verdict.required) : Json(nullptr)},
                 {"symbols", view::sum_json(verdict)},
                 {"lookups", std::move(lookups)}};
  for (const rules::Findings& findings : facts.findings)
    object[std::string(findings.source->key)] = findings_json(findings);
  object["model"] = view::model_json(facts.model.get());
  view::put_changes(decision, object);
  view::put_bounds(facts, object);
  return object;
}

void print_score(const rules::Facts& facts, const rules::Verdict& verdict, Console& console) {
  console.line("  score");
  std::vector<TableRow> rows;
  for (const rules::Findings& findings : facts.findings) {
    for (const rules::Evidence& item : findings.evidence) {
      rows.push_back({item.symbol, terminal_safe(item.explanation().arithmetic)});
    }
  }
  print_table(rows, "    ", console);
  // A symbol counts once, with its strongest hit, so the sum is over symbols.
  std::string sum;
  for (const rules::Symbol& symbol : verdict.symbols) {
    sum += fmt::format("{}{:.2f} {}", sum.empty() ? "" : " + ", symbol.score, symbol.name);
  }
  console.line(fmt::format("    total {:.2f}{}", verdict.score, sum.empty() ? "" : " = " + sum));
}

void print_scan(const input::SourceMessage& message, const rules::Facts& facts,
                const actions::Decision& decision, const Settings& settings,
                desk::FurtherMatches& further, Console& console) {
  const rules::Verdict& verdict = decision.verdict;
  console.line(fmt::format("{}: {}: {}", terminal_safe(message.name),
                           rules::to_string(verdict.action), terminal_safe(verdict.reason)));
  if (settings.milter.dry_run) console.line("  dry_run: the milter only logs this");
  if (facts.lookups.empty()) {
    console.line("  no hash: the message is too short for these rules");
  } else {
    console.line("  look-ups");
    for (const auto& line : lookup_lines(facts.lookups, settings.rules, "    ")) console.line(line);
    print_further(facts.lookups, settings.rules, further, console);
  }
  for (const rules::Findings& findings : facts.findings) print_findings(findings, console);
  if (!facts.lookups.empty() || !verdict.symbols.empty()) print_score(facts, verdict, console);
  if (decision.reply) {
    console.line(fmt::format("  reply\n    {} {} {}", decision.reply->code,
                             decision.reply->enhanced_code, decision.reply->text));
  }
  if (!decision.edits.empty()) console.line("  headers");
  for (const actions::HeaderEdit& edit : decision.edits) {
    console.line(edit.kind == actions::HeaderEdit::Kind::kAdd
                     ? fmt::format("    add {}: {}", edit.name, edit.value)
                     : fmt::format("    remove {}, number {} of that name", edit.name, edit.index));
  }
  for (const std::string& defect : facts.defects) console.line("  defect: " + defect);
}

/// A row for each piece and window that rules need, but for the days of what is usual.
std::vector<TableRow> counter_rows(const rules::CounterFacts& counters) {
  std::vector<TableRow> rows;
  for (const rules::PieceCounts& counts : counters.pieces) {
    const features::CounterNeed* const need =
        features::find_need(*counters.needs, counts.piece.type);
    const std::string second = counts.piece.second.empty() ? "" : " > " + counts.piece.second;
    for (std::size_t w = 0; w < counts.sums.size(); ++w) {
      if (need->windows[w].skipped > 0) continue;  // days for the usual
      rows.push_back({std::string(to_string(counts.piece.type)),
                      storage::counters::to_string(need->windows[w]),
                      view::sums_text(counts.sums[w]), terminal_safe(counts.piece.first + second)});
    }
  }
  return rows;
}

void print_features(const rules::Facts& facts, Console& console) {
  console.line("  features");
  std::vector<TableRow> rows;
  for (const features::FeatureRow& row : features::features())
    rows.push_back({std::string(row.name), to_string(facts.features, row.feature)});
  for (const features::NameRow& row : features::names())
    rows.push_back({std::string(row.word), terminal_safe(to_string(facts.names, row.name))});
  print_table(rows, "    ", console);
  if (facts.counters.pieces.empty()) return;
  console.line("  counters");
  print_table(counter_rows(facts.counters), "    ", console);
}

int scan_message(const input::SourceMessage& message, const judge::Scanner& scanner,
                 desk::FurtherMatches& further, const ScanArguments& arguments,
                 desk::PolicyCounters& policy_counters, Console& console) {
  const Settings& settings = scanner.settings();
  const counters::Envelope& envelope = arguments.envelope.envelope;
  const rules::Facts facts = scanner.scan({.bytes = message.bytes,
                                           .envelope = envelope,
                                           .names = true,
                                           .truncated = message.cut,
                                           .arrival = judge::arrival_of(envelope, settings),
                                           .counters = policy_counters.of(envelope)});
  const actions::Decision decision =
      actions::decide(scanner.judge(facts, settings.milter.on_failure.other), facts,
                      judge::forged_in(message.bytes, settings), settings.milter);
  if (arguments.json) {
    Json object = scan_json(message, facts, decision, settings, further);
    if (arguments.features) {
      object["features"] = view::features_json(facts.features);
      object["names"] = view::names_json(facts.names);
    }
    if (arguments.verbose) object["near_misses"] = scanner.near_misses(facts);
    console.json(object);
  } else {
    print_scan(message, facts, decision, settings, further, console);
    if (arguments.features) print_features(facts, console);
    if (arguments.verbose) {
      for (const std::string& miss : scanner.near_misses(facts))
        console.line("  near miss: " + terminal_safe(miss));
    }
  }
  return report_unknown(message.name, facts, console);
}

int run_scan(ScanArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  SystemClock clock;
  SystemRandom random;
  const auto [scanner, code] = open_scanner_with_samples(
      "scan", {}, arguments.envelope.believing(*settings), clock, random, console);
  if (scanner == nullptr) return code;
  desk::FurtherMatches further(*settings, clock);
  if (Status ready = arguments.envelope.finish(); !ready) {
    console.error("--client", ready.error().message);
    return EX_USAGE;
  }
  desk::PolicyCounters policy_counters(*settings, scanner->needs(), clock, random,
                                       [&console](const std::string& why) { console.note(why); });
  return for_each_message(
      arguments.messages, {.message_bytes_max = settings->milter.message_bytes_max}, console,
      [&, &opened = *scanner](const input::SourceMessage& message) {
        return scan_message(message, opened, further, arguments, policy_counters, console);
      });
}

}  // namespace

void add_scan_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "scan", "Show what the milter would do with messages, and why; changes nothing");
  command->footer(
      R"(The message is judged as mail of an unknown sender, except for what the options say; look-ups go to the running daemon. They are listed in the order in
which they are made: the visible body, other texts, attachments and images, archives, the larger first in each group.

Example:
  shingled scan message.eml)");
  const auto arguments = std::make_shared<ScanArguments>();
  arguments->settings.add_to(*command);
  add_message_option(arguments->messages.names, *command);
  arguments->envelope.add_to(*command);
  command->add_flag("--features", arguments->features,
                    "Show the features of each message, and the counters that rules need");
  command->add_flag("-v,--verbose", arguments->verbose, "Show rules that nearly fire, too");
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  when_asked(*command, chosen, arguments, run_scan);
}

}  // namespace shingled::milter::cli
