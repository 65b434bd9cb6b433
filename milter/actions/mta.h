#pragma once

#include <string>

#include "config/base/result.h"
#include "milter/actions/header_edit.h"
#include "milter/actions/reply_text.h"

namespace shingled::milter::actions {

/// What a filter may ask of the mail server at the end of a message. libmilter is one, tests have
/// another.
/// Threads: the callback's thread.
class Mta {
 public:
  virtual ~Mta() = default;
  virtual Status edit_header(const HeaderEdit& edit) = 0;
  virtual Status quarantine(const std::string& reason) = 0;
  virtual Status set_reply(const Reply& reply) = 0;
  /// Asks for patience: the MTA's timeout starts anew.
  virtual void progress() = 0;
};

}  // namespace shingled::milter::actions
