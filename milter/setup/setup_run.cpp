#include "milter/setup/setup_run.h"

#include <utility>

#include "milter/setup/dovecot_setup.h"
#include "milter/setup/postfix_setup.h"
#include "milter/setup/reports_setup.h"
#include "milter/setup/sendmail_setup.h"

namespace shingled::milter::setup {

namespace {

std::string default_folder(Peer peer) {
  switch (peer) {
    case Peer::kPostfix:
      return "/etc/postfix";
    case Peer::kSendmail:
      return "/etc/mail";
    case Peer::kDovecot:
      return "/etc/dovecot";
    case Peer::kRspamd:
      return "/etc/rspamd";
    case Peer::kReports:
      break;
  }
  return "";
}

constexpr const char* kSendmailFile = "/sendmail.mc";
constexpr const char* kDovecotFile = "/conf.d/95-shingled.conf";
constexpr const char* kRspamdFile = "/local.d/fuzzy_check.conf";

/// What the scripts use beyond what sievec allows by itself. They are compiled here, as users may
/// not write beside them.
constexpr const char* kSieveExtensions = "+imapsieve +special-use +vnd.dovecot.pipe";

}  // namespace

SetupRun::SetupRun(Peer peer, std::string folder, OwnFacts own, Machine& machine)
    : peer_(peer),
      folder_(folder.empty() ? default_folder(peer) : std::move(folder)),
      own_(std::move(own)),
      machine_(machine) {}

Result<Plan> SetupRun::look() {
  if (!own_.has_milter && (peer_ == Peer::kPostfix || peer_ == Peer::kSendmail)) {
    Plan plan;
    plan.problems.emplace_back(
        "milter.enabled is no, so no filter would answer and mail would wait; set it to yes first");
    return plan;
  }
  switch (peer_) {
    case Peer::kPostfix:
      return look_at_postfix();
    case Peer::kSendmail:
      return look_at_sendmail();
    case Peer::kDovecot:
      return look_at_dovecot();
    case Peer::kRspamd:
      return look_at_rspamd();
    case Peer::kReports:
      return look_at_reports();
  }
  return Error{ErrorCode::kInternal, "no such peer"};
}

Result<Plan> SetupRun::look_for_removal() {
  switch (peer_) {
    case Peer::kPostfix: {
      const auto facts = ask_postfix();
      if (!facts) return facts.error();
      return plan_postfix_removal(*facts, own_.milter);
    }
    case Peer::kSendmail: {
      const std::string path = folder_ + kSendmailFile;
      const auto text = machine_.read(path);
      if (!text) return text.error();
      return plan_sendmail_removal(path, *text);
    }
    case Peer::kRspamd: {
      const std::string path = folder_ + kRspamdFile;
      const auto text = read_if_there(path);
      if (!text) return text.error();
      return plan_rspamd_removal(path, *text);
    }
    case Peer::kDovecot: {
      const std::string path = folder_ + kDovecotFile;
      const auto text = read_if_there(path);
      if (!text) return text.error();
      return plan_dovecot_removal(path, *text);
    }
    case Peer::kReports:
      return Plan();  // the answer goes with the settings
  }
  return Error{ErrorCode::kInternal, "no such peer"};
}

Result<PostfixFacts> SetupRun::ask_postfix() {
  const std::vector<std::vector<std::string>> questions = {
      {}, {"-n"}, {"-x"}, {"-M"}, {"-x", "-P"}};
  std::vector<std::string> answers(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::vector<std::string> call = {"postconf", "-c", folder_};
    call.insert(call.end(), questions[i].begin(), questions[i].end());
    auto answer = machine_.run(call);
    if (!answer) return answer.error();
    answers[i] = *std::move(answer);
  }
  return PostfixFacts{parse_postconf(answers[0]),
                      parse_postconf(answers[1]),
                      parse_postconf(answers[2]),
                      answers[3],
                      answers[4],
                      machine_.is_link(folder_ + "/main.cf")};
}

Result<Plan> SetupRun::look_at_postfix() {
  const auto facts = ask_postfix();
  if (!facts) return facts.error();
  return plan_postfix(*facts, own_.milter, own_.socket_group);
}

Result<Plan> SetupRun::look_at_sendmail() {
  const std::string path = folder_ + kSendmailFile;
  const auto text = machine_.read(path);
  if (!text) return text.error();
  return plan_sendmail(path, *text, own_.milter);
}

Result<Plan> SetupRun::look_at_dovecot() {
  DovecotFacts facts;
  facts.folder = folder_;
  facts.share = own_.share;
  facts.compiled = own_.compiled;
  facts.junk_rule = own_.junk_rule;
  facts.status_header = own_.status_header;
  facts.spam_header = own_.spam_header;
  const std::string main = folder_ + "/dovecot.conf";
  auto version = machine_.run({"dovecot", "--version"});
  if (!version) return version.error();
  facts.version = *std::move(version);
  auto config = machine_.run({"doveconf", "-c", main, "-n"});
  if (!config) return config.error();
  facts.config = *std::move(config);
  auto text = machine_.read(main);
  if (!text) return text.error();
  facts.main = *std::move(text);
  Plan plan = plan_dovecot(facts);
  const auto settings =
      own_.settings_file.empty() ? Result<std::string>("") : read_if_there(own_.settings_file);
  if (settings && !written_residents(*settings))
    plan.notes.emplace_back(
        "whose reports count is not said yet (reports.residents); see shingled setup reports");
  std::vector<std::string_view> scripts = {kSpamScript, kHamScript};
  if (facts.junk_rule) scripts.push_back(kJunkScript);
  for (const std::string_view name : scripts) {
    const std::string script = own_.share + std::string(name);
    if (plan.problems.empty() && !machine_.is_newer(compiled_form(script), script))
      plan.scripts.push_back(script);
  }
  return plan;
}

Result<Plan> SetupRun::look_at_rspamd() {
  const std::string path = folder_ + kRspamdFile;
  const auto text = read_if_there(path);
  if (!text) return text.error();
  return plan_rspamd(path, *text, own_.storage, own_.storage_key, own_.lists);
}

Result<Plan> SetupRun::look_at_reports() {
  if (own_.settings_file.empty()) {
    Plan plan;
    plan.problems.emplace_back("there is no file of settings; name one with -c");
    return plan;
  }
  const auto text = machine_.read(own_.settings_file);
  if (!text) return text.error();
  return plan_reports(own_.settings_file, *text, own_.residents);
}

Result<SetupRun::Applied> SetupRun::apply(const Plan& plan, const std::string& stamp) {
  if (peer_ == Peer::kPostfix) return apply_to_postfix(plan, stamp);
  Applied applied;
  for (const FileEdit& edit : plan.edits) {
    if (Status kept = keep(edit.path, stamp, applied); !kept) return kept.error();
    if (Status done = machine_.write(edit.path, edit.content); !done) return done.error();
    applied.lines.push_back(edit.path + ": changed");
  }
  if (!plan.scripts.empty()) {
    auto made = machine_.run({"install", "-d", "-m", "755", own_.compiled});
    if (!made) return made.error().in(own_.compiled);
  }
  for (const std::string& script : plan.scripts) {
    const std::string compiled = compiled_form(script);
    auto done = machine_.run(
        {"sievec", "-c", folder_ + "/dovecot.conf", "-x", kSieveExtensions, script, compiled});
    // Beside a script it takes the mode of the script, elsewhere only its owner may read it.
    if (done) done = machine_.run({"chmod", "644", compiled});
    applied.lines.push_back(script + ": " +
                            (done ? "compiled" : "not compiled: " + done.error().message));
  }
  return applied;
}

std::string SetupRun::compiled_form(const std::string& script) const {
  const std::size_t name = script.rfind('/');
  return own_.compiled + script.substr(name, script.rfind('.') - name) + ".svbin";
}

Result<SetupRun::Applied> SetupRun::apply_to_postfix(const Plan& plan, const std::string& stamp) {
  Applied applied;
  if (plan.differences.empty()) return applied;
  if (Status kept = keep(folder_ + "/main.cf", stamp, applied); !kept) return kept.error();
  std::vector<std::string> set = {"postconf", "-c", folder_, "-e"};
  std::vector<std::string> unset = {"postconf", "-c", folder_, "-X"};
  const std::size_t bare = set.size();
  for (const Difference& one : plan.differences) {
    if (one.wanted.empty()) {
      unset.push_back(one.setting);
    } else {
      set.push_back(one.setting + " = " + one.wanted);
    }
  }
  for (const auto& call : {set, unset}) {
    if (call.size() == bare) continue;
    if (auto done = machine_.run(call); !done) return done.error();
  }
  applied.lines.push_back(folder_ + "/main.cf: changed");
  // Postfix that is not running reads the file when it starts.
  if (machine_.run({"postfix", "-c", folder_, "status"})) {
    if (auto done = machine_.run({"postfix", "-c", folder_, "reload"}); !done) return done.error();
    applied.lines.emplace_back("postfix: reloaded");
  }
  return applied;
}

Status SetupRun::keep(const std::string& path, const std::string& stamp, Applied& applied) {
  std::string copy = path + ".shingled-" + stamp;
  Status kept = machine_.copy(path, copy);
  if (!kept && kept.error().code == ErrorCode::kNotFound) return {};
  if (kept) applied.lines.push_back(std::move(copy) + ": the copy of before");
  return kept;
}

Result<std::string> SetupRun::read_if_there(const std::string& path) {
  auto text = machine_.read(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::string();
  return text;
}

}  // namespace shingled::milter::setup
