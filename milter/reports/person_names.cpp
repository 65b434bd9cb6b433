#include "milter/reports/person_names.h"

#include "milter/reports/reported_message.h"

namespace shingled::milter::reports {

void PersonNames::use(const ReportOptions& options, const std::optional<CounterKeyBytes>& site) {
  auto state = state_.lock();
  state->domain = options.domain;
  state->aliases = options.aliases;
  state->site = site;
  state->looked.reset();
}

std::uint64_t PersonNames::person_of(std::string_view address) {
  auto state = state_.lock();
  if (!state->site) return 0;
  const TimePoint now = clock_.now();
  if (!state->looked || now - *state->looked >= kLookPause) {
    state->names.refresh(state->domain, state->aliases);
    state->looked = now;
  }
  return reporter_id(*state->site, state->names.mailbox_of(address));
}

}  // namespace shingled::milter::reports
