#include "milter/mta/libmilter_mta.h"

namespace shingled::milter::mta {

namespace {

char* unconst(const std::string& text) { return const_cast<char*>(text.c_str()); }

Status check(const char* doing, int result) {
  if (result == MI_SUCCESS) return {};
  return Error{ErrorCode::kUnavailable, std::string(doing) + ": the MTA does not accept it"};
}

}  // namespace

sfsistat answer(rules::Action action) {
  switch (action) {
    case rules::Action::kPass:
    case rules::Action::kAddHeader:
    case rules::Action::kQuarantine:
      return SMFIS_ACCEPT;
    case rules::Action::kTempfail:
      return SMFIS_TEMPFAIL;
    case rules::Action::kReject:
      return SMFIS_REJECT;
    case rules::Action::kDiscard:
      return SMFIS_DISCARD;
  }
  return SMFIS_ACCEPT;
}

void request_macros(SMFICTX* context) {
  const auto request = [&](int stage, const char* names) {
    static_cast<void>(smfi_setsymlist(context, stage, const_cast<char*>(names)));
  };
  request(SMFIM_CONNECT, kClientResolve);
  request(SMFIM_ENVFROM, kLogin);
  request(SMFIM_ENVRCPT, kMailer);
  request(SMFIM_EOM, kQueueId);
}

std::string_view macro(SMFICTX* context, const char* name) {
  const char* given = smfi_getsymval(context, const_cast<char*>(name));
  return given != nullptr ? given : "";
}

Status LibmilterMta::edit_header(const actions::HeaderEdit& edit) {
  if (edit.kind == actions::HeaderEdit::Kind::kRemove) {
    return check("removing a header", smfi_chgheader(context_, unconst(edit.name),
                                                     static_cast<int>(edit.index), nullptr));
  }
  const std::string value = (spacing_ == HeaderSpacing::kKept ? " " : "") + edit.value;
  return check("adding a header", smfi_addheader(context_, unconst(edit.name), unconst(value)));
}

Status LibmilterMta::quarantine(const std::string& reason) {
  return check("quarantine", smfi_quarantine(context_, unconst(reason)));
}

Status LibmilterMta::set_reply(const actions::Reply& reply) {
  std::string text;
  for (const char c : reply.text) text.append(c == '%' ? 2U : 1U, c);  // MTAs read %% as %
  return check("setting the reply", smfi_setreply(context_, unconst(reply.code),
                                                  unconst(reply.enhanced_code), unconst(text)));
}

}  // namespace shingled::milter::mta
