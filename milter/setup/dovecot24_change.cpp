#include <algorithm>
#include <utility>
#include <vector>

#include "milter/setup/dovecot_setup.h"

namespace shingled::milter::setup {

namespace {

/// Lists of 2.4 add up, and scripts have names; so our file has our settings only, and those of
/// others stay.
class Change24 {
 public:
  explicit Change24(const DovecotFacts& facts)
      : facts_(facts), settings_(parse_doveconf(facts.config)) {}

  DovecotChange make() {
    const DoveMailbox junk = mailbox_for(settings_, "\\Junk", facts_.junk);
    if (junk.whole().find_first_of("\"\\") != std::string::npos) {
      plan_.problems.push_back("no settings of Dovecot 2.4 can name the mailbox " + junk.whole() +
                               ", which is the one of spam");
      return {std::move(plan_), junk.whole(), ""};
    }
    begin("protocol imap");
    list("mail_plugins", {"imap_sieve"}, "IMAP runs scripts for moves");
    end();
    list("sieve_plugins", {"sieve_imapsieve", "sieve_extprograms"},
         "scripts for moves, and the programs that they call");
    list("sieve_global_extensions", {"special-use", "vnd.dovecot.pipe", "vnd.dovecot.environment"},
         "only scripts of the administrator may call programs");
    programs();
    // The one is named without the prefix of its namespace, the other with it.
    script("mailbox", junk.name, "shingled-spam", kSpamScript,
           "what is moved to this mailbox is spam");
    script("imapsieve_from", junk.whole(), "shingled-ham", kHamScript,
           "what is moved out of it is wanted mail");
    marked(junk.whole());
    return {std::move(plan_), junk.whole(), file_};
  }

 private:
  /// Begins a block: mailbox "Sent Messages"
  void begin(const std::string& type, const std::string& name = "") {
    file_ += std::string(2 * blocks_.size(), ' ') + type;
    if (!name.empty()) file_ += " \"" + name + '"';
    file_ += " {\n";
    blocks_.push_back(name.empty() ? type : type + " " + name);
  }
  void end() {
    blocks_.pop_back();
    file_ += std::string(2 * blocks_.size(), ' ') + "}\n";
  }
  [[nodiscard]] std::string path_of(const std::string& name) const {
    std::string path;
    for (const std::string& block : blocks_) path += block + "/";
    return path + name;
  }
  void write(const std::string& name, const std::string& value) {
    file_ += std::string(2 * blocks_.size(), ' ') + name + " = " + value + "\n";
  }

  /// Writes a setting, and the difference if Dovecot has something else.
  void want(const std::string& name, const std::string& value, const std::string& why) {
    write(name, value);
    const std::string path = path_of(name);
    const std::string now = setting_of(settings_, path);
    if (now != value) plan_.differences.push_back({path, now, value, why});
  }

  /// doveconf prints a list as one line, or as a block with "yes" and "no".
  [[nodiscard]] bool has_word(const std::string& name, const std::string& word) const {
    if (setting_of(settings_, name + "/" + word) == "yes") return true;
    const auto words = list_words(setting_of(settings_, name));
    return std::ranges::find(words, word) != words.end();
  }

  void list(const std::string& name, const std::vector<std::string>& words,
            const std::string& why) {
    const std::string list = path_of(name);
    begin(name);
    for (const std::string& word : words) {
      write(word, "yes");
      const std::string path = path_of(word);
      if (!has_word(list, word))
        plan_.differences.push_back({path, setting_of(settings_, path), "yes", why});
    }
    end();
  }

  void programs() {
    const std::string now = setting_of(settings_, "sieve_pipe_bin_dir");
    const std::string ours = facts_.share + "/bin";
    if (now.empty() || now == ours) {
      want("sieve_pipe_bin_dir", ours, "the program that reports");
    } else {
      plan_.notes.push_back(link_note(now, ours));
    }
  }

  void script(const std::string& type, const std::string& mailbox, const std::string& name,
              std::string_view file, const std::string& why) {
    begin(type, mailbox);
    begin("sieve_script " + name);
    want("type", "before", "before the scripts of the user");
    want("cause", "copy", "a move is a copy");
    want("path", facts_.share + std::string(file), why);
    compiled();
    end();
    end();
  }

  /// Users may not write beside the scripts, and nobody may write to /usr.
  void compiled() { want("bin_path", facts_.compiled, "for its compiled form"); }

  /// Marked mail goes to the mailbox of spam at delivery.
  void marked(const std::string& junk) {
    constexpr const char* kName = "sieve_script shingled-junk";
    const std::string path = std::string(kName) + "/path";
    if (!facts_.junk_rule) {
      const std::string now = setting_of(settings_, path);
      if (!now.empty()) plan_.differences.push_back({path, now, "", std::string(kNoRule)});
      return;
    }
    for (const char* protocol : {"protocol lda", "protocol lmtp"}) {
      begin(protocol);
      list("mail_plugins", {"sieve"}, "delivery runs scripts");
      end();
    }
    begin(kName);
    want("type", "before", "before the scripts of the user");
    want("path", facts_.share + std::string(kJunkScript), "marked mail goes to " + junk);
    compiled();
    end();
    tell("junk", junk, DovecotFacts{}.junk);
    tell("status", facts_.status_header, DovecotFacts{}.status_header);
    tell("spam", facts_.spam_header, DovecotFacts{}.spam_header);
  }

  /// What the script of delivery knows by another name than its own.
  void tell(const std::string& name, const std::string& value, std::string_view standard) {
    const std::string setting = "shingled_" + name;
    const bool told = !setting_of(settings_, "sieve_environment/" + setting).empty();
    if (value.empty() || (value == standard && !told)) return;
    begin("sieve_environment");
    want(setting, value, "what the script of delivery looks for");
    end();
  }

  const DovecotFacts& facts_;
  DoveSettings settings_;
  Plan plan_;
  std::vector<std::string> blocks_;  // that are open in the file
  std::string file_;
};

}  // namespace

DovecotChange change_dovecot24(const DovecotFacts& facts) { return Change24(facts).make(); }

}  // namespace shingled::milter::setup
