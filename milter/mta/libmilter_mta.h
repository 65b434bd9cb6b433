#pragma once

#include <libmilter/mfapi.h>

#include <string>
#include <string_view>

#include "milter/actions/apply.h"
#include "milter/mta/message_buffer.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::mta {

/// The answer of a callback.
sfsistat answer(rules::Action action);

// The macros that are read.
inline constexpr const char* kClientResolve = "{client_resolve}";
inline constexpr const char* kLogin = "{auth_authen}";   ///< who has logged in
inline constexpr const char* kMailer = "{rcpt_mailer}";  ///< "error": the recipient is refused
inline constexpr const char* kQueueId = "i";

/// Asks for them while the MTA negotiates. What an administrator has set for another milter, such
/// as Postfix's milter_rcpt_macros, would leave them out.
void request_macros(SMFICTX* context);

/// The value of a macro that the MTA has sent; empty without one. Valid until the callback ends.
std::string_view macro(SMFICTX* context, const char* name);

/// Implements Mta with the requests of libmilter, for one end of message.
/// Threads: that of the callback.
class LibmilterMta final : public actions::Mta {
 public:
  /// `spacing`: with kKept the MTA writes a value directly after the colon.
  LibmilterMta(SMFICTX* context, HeaderSpacing spacing) : context_(context), spacing_(spacing) {}

  Status edit_header(const actions::HeaderEdit& edit) override;
  Status quarantine(const std::string& reason) override;
  Status set_reply(const actions::Reply& reply) override;
  void progress() override { smfi_progress(context_); }

 private:
  SMFICTX* context_;
  HeaderSpacing spacing_;
};

}  // namespace shingled::milter::mta
