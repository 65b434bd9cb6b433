#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/names/list_commands.h"
#include "milter/cli/names/named_entry.h"
#include "milter/cli/output/evidence_output.h"
#include "milter/counters/message_origin.h"
#include "milter/judge/message/message_view.h"
#include "milter/names/list_evidence.h"
#include "milter/names/name_list.h"
#include "mime/message/header_block.h"

namespace shingled::milter::cli {

namespace {

using names::Found;
using names::ListForm;
using names::Name;

constexpr int kNotFound = 1;  ///< as grep(1) says it

/// The envelope of a delivered message, as its header tells it, and as the options say.
counters::Envelope envelope_of(const mime::HeaderBlock& header, const counters::Envelope& given,
                               const Settings& settings) {
  counters::Envelope out =
      counters::origin_of(header.fields, settings.milter.local_networks).envelope;
  if (!given.sender.empty()) out.sender = given.sender;
  if (!given.recipients.empty()) out.recipients = given.recipients;
  if (given.client) {
    out.client = given.client;
    out.client_name = given.client_name;
    out.helo = given.helo;
  }
  if (!given.user.empty()) out.user = given.user;
  return out;
}

/// Of a message that would be on the list if what it claims were proved: what is missing.
std::string claim_of(const names::NameList& list, const features::MessageNames& names,
                     const Settings& settings) {
  const bool from = list.size() > 0 && !names.is_known(Name::kFrom);
  std::string out;
  const auto claimed = [&](Name line, Name claim) {
    if (!out.empty()) return;
    const Found found = look_up(list, line, names, claim);
    if (!found.match) return;
    out = fmt::format("line {} would count, but {} {} is not proved: {}", found.match->line,
                      features::row_of(line).word, found.match->value,
                      settings.counters.pieces.authserv_ids.empty()
                          ? "counters.authserv_ids is empty"
                          : "no Authentication-Results of a server in counters.authserv_ids says "
                            "so, or From has several addresses");
  };
  if (from) {
    claimed(Name::kFrom, Name::kClaimedFrom);
    claimed(Name::kFromDomain, Name::kClaimedFromDomain);
  }
  if (!names.is_known(Name::kProvedListId)) claimed(Name::kListId, Name::kListId);
  return out;
}

int check_one(const input::SourceMessage& message, const ListArgumentsOfNames& arguments,
              const Settings& settings, const names::Lists& lists, Console& console) {
  const mime::HeaderBlock header = mime::split_header_block(message.bytes, settings.mime);
  const features::MessageNames names = judge::names_of(
      header, arguments.envelope.plan_of(settings),
      envelope_of(header, arguments.envelope.envelope, settings), /*whole_envelope=*/false);
  PolicyOptions one = settings.policy;
  const bool allow = arguments.kind == ListForm::Kind::kAllow;
  (allow ? one.block_file : one.allow_file).clear();
  const rules::Findings found = names::list_findings(lists, one, names);
  std::string claim;
  const auto files = names::list_files_of(one);
  const names::NameList* const list = files.empty() ? nullptr : lists.find(files.front());
  if (found.evidence.empty() && allow && list != nullptr) claim = claim_of(*list, names, settings);
  if (arguments.json) {
    Json hits = Json::array();
    for (const rules::Evidence& item : found.evidence) {
      Json& hit = hits.emplace_back(Json::object());
      for (const rules::Detail& detail : item.explanation().details)
        std::visit([&](const auto& value) { hit[std::string(detail.name)] = value; }, detail.value);
    }
    console.json({{"file", message.name}, {"hits", hits}, {"unproved", claim}});
  } else if (found.evidence.empty()) {
    console.line(fmt::format("{}: not on the {} list{}", terminal_safe(message.name),
                             arguments.word(), claim.empty() ? "" : "; " + terminal_safe(claim)));
  }
  for (const rules::Evidence& item : found.evidence) {
    if (!arguments.json)
      console.line(
          terminal_safe(fmt::format("{}: {}", message.name, item.explanation().arithmetic)));
  }
  return found.evidence.empty() ? kNotFound : EX_OK;
}

}  // namespace

int run_list_check(ListArgumentsOfNames& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (settings == nullptr) return EX_CONFIG;
  if (Status ready = arguments.envelope.finish(); !ready) {
    console.error("--client", ready.error().message);
    return EX_USAGE;
  }
  const auto files = names::list_files_of(settings->policy);
  for (const names::ListFile& file : files) {
    if (const auto list = names::read_list(file); !list) {
      console.error(arguments.word(), terminal_safe(list.error().message));
      return EX_NOINPUT;
    }
  }
  const auto lists = names::lists_now(files)->get();
  return for_each_message(arguments.messages,
                          {.message_bytes_max = settings->milter.message_bytes_max}, console,
                          [&](const input::SourceMessage& message) {
                            return check_one(message, arguments, *settings, *lists, console);
                          });
}

}  // namespace shingled::milter::cli
