#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/server_options.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/output/evidence_output.h"
#include "milter/cli/output/lookup_output.h"
#include "milter/cli/similar/sample_client.h"
#include "milter/counters/message_origin.h"
#include "milter/desk/counters/policy_counters.h"
#include "milter/desk/explained_match.h"
#include "milter/desk/hash_cases.h"
#include "milter/desk/servers/service_failure.h"
#include "milter/desk/servers/storage_choice.h"
#include "milter/view/model_json.h"
#include "mime/message/header_block.h"
#include "storage/access/network_set.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kPrefixDigitsMin = 8;
constexpr std::size_t kDigestDigits = 2 * kDigestBytes;
constexpr std::size_t kAmbiguousShown = 5;

struct ExplainArguments {
  SettingsArguments settings;
  desk::ServerArguments server;
  MessageArguments messages;
  std::vector<std::string> recipients;
  bool json = false;
};

enum class Subject : std::uint8_t { kMessage, kDigest };

Json own_json(const rules::Facts& facts) {
  using storage::counters::Measure;
  Json out = Json::array();
  for (const desk::OwnWord& word : desk::own_words(facts.counters))
    out.push_back({{"type", to_string(word.piece.type)},
                   {"piece", word.piece.first},
                   {"own_complaint", word.sums.of(Measure::kOwnComplaint)},
                   {"own_rescue", word.sums.of(Measure::kOwnRescue)},
                   {"recipients", word.sums.recipients}});
  return out;
}

/// Explains look-ups: asks the servers, then reads the records from the local file.
class Explainer {
 public:
  Explainer(const ExplainArguments& arguments, const Settings& settings,
            const judge::Scanner& scanner, Clock& clock, Random& random, Console& console)
      : arguments_(arguments),
        settings_(settings),
        file_(desk::database_file(settings.storage, "shingled check")),
        scanner_(scanner),
        counters_(settings, scanner.needs(), clock, random,
                  [&console](const std::string& why) { console.note(why); }),
        cases_(settings, clock),
        clock_(clock),
        random_(random),
        console_(console) {}

  /// No source of explanations: a rule means the local daemon, which has no file.
  [[nodiscard]] std::optional<Error> refusal() const {
    const bool needs_file = std::any_of(rules().begin(), rules().end(),
                                        [this](const RuleOptions& rule) { return is_local(rule); });
    return needs_file && !file_ ? std::optional(file_.error()) : std::nullopt;
  }

  int message(const input::SourceMessage& message) {
    const mime::HeaderBlock header =
        mime::split_header_block(message.bytes, scanner_.settings().mime);
    auto origin = counters::origin_of(header.fields, scanner_.settings().milter.local_networks);
    if (asks_counters()) origin.envelope.recipients = arguments_.recipients;
    const rules::Facts facts =
        scanner_.scan({.bytes = message.bytes,
                       .envelope = origin.envelope,
                       .names = true,
                       .counters = asks_counters() ? counters_.of(origin.envelope) : nullptr});
    const bool asked = std::any_of(facts.findings.begin(), facts.findings.end(),
                                   [](const auto& findings) { return findings.asked > 0U; });
    if (facts.lookups.empty() && !asked && !asks_counters() && !arguments_.json) {
      console_.error(message.name, "no hash: the message is too short for these rules");
      return EX_DATAERR;
    }
    return explain(message.name, Subject::kMessage, facts);
  }

  /// `hex`: a whole digest or its beginning.
  int digest(const std::string& hex);

 private:
  [[nodiscard]] const std::vector<RuleOptions>& rules() const { return scanner_.settings().rules; }
  [[nodiscard]] bool is_local(const RuleOptions& rule) const;
  [[nodiscard]] std::optional<IpAddress> address_of(std::uint64_t source) const;
  Result<Digest> complete(const std::string& hex) const;
  std::vector<rules::Lookup> ask_about(const Digest& digest);
  std::vector<desk::ExplainedMatch> explanations(const std::vector<rules::Lookup>& lookups,
                                                 Subject subject, std::string& file_error) const;
  void name_cases(std::vector<desk::ExplainedMatch>& all);
  /// Rules on counters are asked for recipients, whose own word is among them.
  [[nodiscard]] bool asks_counters() const { return !arguments_.recipients.empty(); }
  void print_own_words(const rules::Facts& facts) const;
  int explain(const std::string& name, Subject subject, const rules::Facts& facts);

  const ExplainArguments& arguments_;
  const Settings& settings_;
  const Result<std::string> file_;
  const judge::Scanner& scanner_;
  desk::PolicyCounters counters_;
  desk::HashCases cases_;
  Clock& clock_;
  Random& random_;
  Console& console_;
};

/// Whether the servers of a rule are the daemon that owns our database file.
bool Explainer::is_local(const RuleOptions& rule) const {
  const auto local = desk::local_service(settings_.storage);
  return local && local->to_read() == rule.remote.to_read();
}

Result<Digest> Explainer::complete(const std::string& hex) const {
  Digest digest;
  if (const auto bytes = from_hex(hex); bytes && bytes->size() == kDigestBytes) {
    std::copy(bytes->begin(), bytes->end(), digest.bytes.begin());
    return digest;
  }
  if (!file_) return file_.error();
  const auto found = transfer::digests_with_prefix(*file_, hex, kAmbiguousShown);
  if (!found) return found.error();
  if (found->size() == 1) return found->front();
  if (found->empty()) return Error{ErrorCode::kNotFound, "no stored digest begins like this"};
  std::string several;
  for (const Digest& candidate : *found)
    several += " " + to_hex(candidate.bytes).substr(0, hex.size() + 8);
  return Error{ErrorCode::kInvalid, "several stored digests begin like this:" + several};
}

/// The address that taught a hash, if it is one we can try: this machine, or one of allow_update.
std::optional<IpAddress> Explainer::address_of(std::uint64_t source) const {
  if (source == 0) return std::nullopt;
  std::vector<Network> networks = {*Network::parse("127.0.0.1"), *Network::parse("::1")};
  const auto& allowed = settings_.storage.server.allow_update;
  networks.insert(networks.end(), allowed.begin(), allowed.end());
  return storage::access::find_source(source, networks);
}

std::vector<rules::Lookup> Explainer::ask_about(const Digest& digest) {
  std::vector<rules::Lookup> lookups;
  for (std::uint32_t i = 0; i < rules().size(); ++i) {
    rules::Lookup& lookup = lookups.emplace_back();
    lookup.rule = rules()[i].name;
    lookup.rule_index = i;
    lookup.hash.fingerprint.digest = digest;
    lookup.outcome = rules::Lookup::Outcome::kUnreachable;
    const auto store = storage::client::RemoteStore::open(rules()[i].remote, clock_, random_);
    if (!store) {
      lookup.error = store.error().message;
      continue;
    }
    storage::client::RemoteRequest request;
    request.fingerprint.digest = digest;
    const storage::client::RemoteBatch batch{store->get(), {&request, 1}};
    const auto answers =
        storage::client::ask({&batch, 1}, desk::patience(rules()[i].remote, clock_));
    judge::take_answer(lookup, answers.front().front());
  }
  return lookups;
}

std::vector<desk::ExplainedMatch> Explainer::explanations(const std::vector<rules::Lookup>& lookups,
                                                          Subject subject,
                                                          std::string& file_error) const {
  std::vector<desk::ExplainedMatch> all;
  std::vector<Fingerprint> wanted;
  std::vector<std::size_t> wanted_by;
  for (const rules::Lookup& lookup : lookups) {
    const RuleOptions& rule = rules()[lookup.rule_index];
    all.push_back({&rule, &lookup, std::nullopt, subject == Subject::kDigest, std::nullopt,
                   arguments_.settings.again() + server_options_again(arguments_.server)});
    if (!is_local(rule) || lookup.outcome == rules::Lookup::Outcome::kMiss) continue;
    // Hashes that the daemon matched are looked up by digest, others by similarity.
    wanted.push_back(lookup.failed() ? lookup.hash.fingerprint
                                     : Fingerprint{lookup.match.digest, std::nullopt});
    wanted_by.push_back(all.size() - 1);
  }
  if (wanted.empty()) return all;
  auto found = transfer::search_file(*file_, wanted);
  if (!found) {
    file_error = found.error().message;
    return all;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    desk::ExplainedMatch& explanation = all[wanted_by[i]];
    explanation.stored = (*found)[i];
    if (!(*found)[i]) continue;
    explanation.taught_from = address_of((*found)[i]->row.source);
  }
  return all;
}

void Explainer::name_cases(std::vector<desk::ExplainedMatch>& all) {
  for (desk::ExplainedMatch& explanation : all) {
    if (!explanation.found()) continue;
    const auto reported = cases_.of(*explanation.lookup, *explanation.rule);
    if (!reported) continue;
    explanation.case_id = reported->id;
    explanation.case_text = reported->text();
  }
}

/// A line for each piece of which the recipients said something.
void Explainer::print_own_words(const rules::Facts& facts) const {
  using storage::counters::Measure;
  const std::vector<desk::OwnWord> words = desk::own_words(facts.counters);
  if (words.empty()) return console_.line("  recipients: none of them said anything of its pieces");
  console_.line("  what the recipients said");
  std::vector<TableRow> rows;
  for (const desk::OwnWord& word : words) {
    const auto of = [&](Measure measure) {
      return fmt::format("{} of {}", word.sums.of(measure), word.sums.recipients);
    };
    rows.push_back({std::string(to_string(word.piece.type)),
                    "own_complaint " + of(Measure::kOwnComplaint),
                    "own_rescue " + of(Measure::kOwnRescue), terminal_safe(word.piece.first)});
  }
  print_table(rows, "    ", console_);
}

int Explainer::explain(const std::string& name, Subject subject, const rules::Facts& facts) {
  const std::vector<rules::Lookup>& lookups = facts.lookups;
  std::string file_error;
  auto all = explanations(lookups, subject, file_error);
  name_cases(all);
  const auto found = std::count_if(all.begin(), all.end(),
                                   [](const desk::ExplainedMatch& e) { return e.found(); });
  if (arguments_.json) {
    Json matches = Json::array();
    for (const desk::ExplainedMatch& explanation : all) {
      if (explanation.found()) matches.push_back(explanation.json(clock_.wall()));
    }
    Json object = {{subject == Subject::kDigest ? "digest" : "file", name},
                   {"asked", all.size()},
                   {"matches", std::move(matches)}};
    for (const rules::Findings& findings : facts.findings) {
      const rules::Source& source = *findings.source;
      if (!source.title.empty()) object[std::string(source.key)] = findings_json(findings);
    }
    object["model"] = view::model_json(facts.model.get());
    if (asks_counters() && subject == Subject::kMessage) object["own"] = own_json(facts);
    console_.json(object);
  } else {
    console_.line(
        fmt::format("{}: {} of {} look-ups found", terminal_safe(name), found, all.size()));
    for (const desk::ExplainedMatch& explanation : all) {
      if (!explanation.found()) continue;
      console_.line("");
      std::vector<TableRow> rows = explanation.rows(clock_.wall());
      for (TableRow& row : rows) row.back() = terminal_safe(row.back());
      print_table(rows, "  ", console_);
    }
    for (const rules::Findings& findings : facts.findings) print_findings(findings, console_);
    if (subject == Subject::kMessage && asks_counters()) {
      print_own_words(facts);
    } else if (subject == Subject::kMessage && !scanner_.needs().empty()) {
      console_.line(
          "  counters: not asked without --recipient, so rules on them do not fire; see shingled "
          "scan");
    }
  }
  // Without its server, a look-up is answered by the file, unless that cannot be read either.
  std::vector<rules::Lookup> unanswered;
  for (const desk::ExplainedMatch& explanation : all) {
    const bool from_file = file_error.empty() && is_local(*explanation.rule);
    if (explanation.lookup->failed() && !from_file) unanswered.push_back(*explanation.lookup);
  }
  if (!file_error.empty()) console_.error(name, file_error);
  return report_failures(name, unanswered, console_);
}

int Explainer::digest(const std::string& hex) {
  const auto whole = complete(hex);
  if (!whole) {
    console_.error(hex, whole.error().message);
    return exit_code(whole.error().code);
  }
  rules::Facts facts;
  facts.lookups = ask_about(*whole);
  return explain(to_hex(whole->bytes), Subject::kDigest, facts);
}

bool is_digest(const std::string& argument) {
  return argument.size() >= kPrefixDigitsMin && argument.size() <= kDigestDigits &&
         argument.find_first_not_of("0123456789abcdef") == std::string::npos &&
         ::access(argument.c_str(), F_OK) != 0;
}

int run_explain(const ExplainArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load_if_allowed(console);
  if (!settings) return EX_CONFIG;
  SystemClock clock;
  SystemRandom random;
  const auto [scanner, code] =
      open_scanner_with_samples("explain", arguments.server, *settings, clock, random, console);
  if (scanner == nullptr) return code;
  Explainer explainer(arguments, *settings, *scanner, clock, random, console);
  if (const auto refusal = explainer.refusal()) {
    console.error("explain", refusal->message);
    return EX_USAGE;
  }
  int worst = EX_OK;
  MessageArguments files;
  for (const std::string& argument : arguments.messages.names) {
    if (is_digest(argument)) {
      worst = worse_exit_code(worst, explainer.digest(argument));
    } else {
      files.names.push_back(argument);
    }
  }
  if (files.names.empty() && !arguments.messages.names.empty()) return worst;
  return worse_exit_code(
      worst, for_each_message(
                 files, {.message_bytes_max = settings->milter.message_bytes_max}, console,
                 [&](const input::SourceMessage& message) { return explainer.message(message); }));
}

}  // namespace

void add_explain_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "Which stored hash matched, how well, since when, and how to undo it");
  command->footer(
      R"(An argument of 8 to 128 hexadecimal digits is a digest or its beginning. The answer comes from the
daemon, age and source from its database file. The file is enough when the daemon is not running.
If people reported the hash or what is like it, its case is named (shingled cases). With --recipient the counters are
asked as for a message to that mailbox: which of its pieces its owner called spam or wanted, and which rules fire.
The word of the model is shown with what made it.

Example:
  shingled explain message.eml
  shingled explain --recipient ann@example.org message.eml)");
  const auto arguments = std::make_shared<ExplainArguments>();
  arguments->settings.add_to(*command);
  add_server_options(arguments->server, *command);
  command->add_option("messages", arguments->messages.names, "Messages, or digests")
      ->type_name("FILE|DIGEST");
  command
      ->add_option("--recipient", arguments->recipients,
                   "Mailbox whose own reports count; asks the counters; may be repeated")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  when_asked(*command, chosen, arguments, run_explain);
}

}  // namespace shingled::milter::cli
