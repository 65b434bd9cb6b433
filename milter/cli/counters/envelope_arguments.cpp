#include "milter/cli/counters/envelope_arguments.h"

#include "milter/cli/access/printing.h"

namespace shingled::milter::cli {

void EnvelopeArguments::add_to(CLI::App& command) {
  command.add_option("--sender", envelope.sender, "Envelope sender; <> for a bounce")
      ->type_name("ADDRESS");
  command.add_option("--recipient", envelope.recipients, "Envelope recipient; may be repeated")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  command.add_option("--client", client, "Address of the client")->type_name("IP");
  command.add_option("--client-name", envelope.client_name, "Verified host name of the client")
      ->type_name("HOST");
  command.add_option("--helo", envelope.helo, "HELO name of the client")->type_name("NAME");
  command.add_option("--user", envelope.user, "User of SMTP AUTH")->type_name("NAME");
  command
      .add_option("--authserv-id", authserv_ids,
                  "Believe Authentication-Results of this server; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

Status EnvelopeArguments::finish() {
  if (client.empty()) return {};
  envelope.client = IpAddress::parse(client);
  if (envelope.client) return {};
  return Error{ErrorCode::kInvalid, terminal_safe(client) + " is not an IP address"};
}

Settings EnvelopeArguments::believing(const Settings& settings) const {
  Settings out = settings;
  std::vector<std::string>& known = out.counters.pieces.authserv_ids;
  known.insert(known.end(), authserv_ids.begin(), authserv_ids.end());
  return out;
}

judge::ViewPlan EnvelopeArguments::plan_of(const Settings& settings) const {
  judge::ViewPlan plan(believing(settings));
  plan.add_counted();
  return plan;
}

}  // namespace shingled::milter::cli
