#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/counters/envelope_arguments.h"
#include "milter/names/name_list.h"

namespace shingled::milter::cli {

/// What an entry is about, as the options of a command give it; one of them.
struct EntryArguments {
  std::string from;
  std::string domain;
  std::string sender;
  std::string list_id;
  std::string client;
  std::string dkim;
  std::string recipient;

  void add_to(CLI::App& command, names::ListForm::Kind kind);
};

/// The arguments of `shingled allow` and `shingled block`.
struct ListArgumentsOfNames {
  names::ListForm::Kind kind = names::ListForm::Kind::kAllow;
  SettingsArguments settings;
  EntryArguments entry;
  std::string reason;
  MessageArguments messages;
  EnvelopeArguments envelope;
  bool json = false;

  [[nodiscard]] std::string_view word() const {
    return kind == names::ListForm::Kind::kAllow ? "allow" : "block";
  }
};

// Each runs a command and returns its exit code.
int run_list_add(const ListArgumentsOfNames& arguments, Console& console);
int run_list_del(const ListArgumentsOfNames& arguments, Console& console);
int run_list_show(const ListArgumentsOfNames& arguments, Console& console);
int run_list_check(ListArgumentsOfNames& arguments, Console& console);

}  // namespace shingled::milter::cli
