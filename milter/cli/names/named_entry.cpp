#include "milter/cli/names/named_entry.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "milter/names/list_evidence.h"

namespace shingled::milter::cli {

namespace {

using names::ListForm;
using names::Name;
using names::NamedEntry;

struct EntryOption {
  const char* option;
  std::string EntryArguments::*text;
  Name name;
  bool below;  ///< a domain that stands for all below it
  const char* type;
  const char* help;
};

constexpr auto kOptions = std::to_array<EntryOption>({
    {"--from", &EntryArguments::from, Name::kFrom, false, "ADDRESS", "Address of From"},
    {"--domain", &EntryArguments::domain, Name::kFromDomain, true, "DOMAIN",
     "Domain of From, and all below it"},
    {"--sender", &EntryArguments::sender, Name::kSender, false, "ADDRESS", "Envelope sender"},
    {"--list-id", &EntryArguments::list_id, Name::kListId, false, "ID",
     "Identifier of a mailing list (List-Id)"},
    {"--client", &EntryArguments::client, Name::kClient, false, "NET",
     "Address or network of the client"},
    {"--dkim", &EntryArguments::dkim, Name::kDkimDomain, true, "DOMAIN",
     "Domain of a DKIM signature, and all below it"},
    {"--recipient", &EntryArguments::recipient, Name::kRecipient, false, "ADDRESS",
     "Recipient whose mail is never refused, only marked; abuse@ = at any domain"},
});

}  // namespace

void EntryArguments::add_to(CLI::App& command, ListForm::Kind kind) {
  for (const EntryOption& option : kOptions) {
    const bool is = kind == ListForm::Kind::kAllow ? names::is_allow_name(option.name)
                                                   : names::is_block_name(option.name);
    if (is)
      command.add_option(option.option, this->*option.text, option.help)->type_name(option.type);
  }
}

Result<NamedEntry> entry_of(const EntryArguments& arguments) {
  const EntryOption* given = nullptr;
  for (const EntryOption& option : kOptions) {
    if ((arguments.*option.text).empty()) continue;
    if (given != nullptr)
      return Error{ErrorCode::kInvalid,
                   fmt::format("{} and {}: one entry at a time", given->option, option.option)};
    given = &option;
  }
  if (given == nullptr)
    return Error{ErrorCode::kInvalid, "an entry is missing, such as --from news@shop.example"};
  std::string text = arguments.*given->text;
  if (given->below && !text.starts_with('.')) text.insert(0, 1, '.');
  auto entry = names::read_name_entry(features::row_of(given->name), text);
  if (!entry) return entry.error().in(given->option);
  return NamedEntry{given->name, *std::move(entry)};
}

}  // namespace shingled::milter::cli
