#include "milter/cli/counters/counted_message.h"

#include <array>
#include <vector>

#include "milter/cli/terminal/terminal_text.h"
#include "milter/counters/counted_hashes.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/text_collector.h"

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

PieceOptions EnvelopeArguments::piece_options(const PieceOptions& configured) const {
  PieceOptions options = configured;
  options.authserv_ids.insert(options.authserv_ids.end(), authserv_ids.begin(), authserv_ids.end());
  return options;
}

counters::MessagePieces pieces_of(std::string_view bytes, const counters::Envelope& envelope,
                                  const PieceOptions& options, const Settings& settings) {
  const MimeOptions& mime = settings.mime;
  const mime::Analysis analysis = mime::analyze(bytes, mime);
  mime::WorkMeter work(mime::steps_for(bytes.size(), mime.work_max));
  mime::TextCollector texts(analysis, options, work);
  const std::array rules = {mime::HashRule(counters::counted_text_options()),
                            mime::HashRule(counters::counted_structure_options())};
  const mime::MessageHashes hashes = mime::hash_message(
      analysis, rules,
      [&](std::size_t part, const mime::TextStages& text) { texts.add(part, text); });
  const std::vector<mime::PartHash> counted =
      counters::counted_hashes(hashes.of_rule[0], hashes.of_rule[1]);
  return counters::message_pieces({.bytes = bytes,
                                   .analysis = analysis,
                                   .hashes = counted,
                                   .texts = &texts,
                                   .local = &settings.milter.local_networks},
                                  envelope, options, work);
}

}  // namespace shingled::milter::cli
