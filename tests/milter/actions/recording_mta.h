#pragma once

#include <string>
#include <vector>

#include "milter/actions/apply.h"

namespace shingled::milter::actions {

/// Records each request as a line of text. It can be set to decline all requests.
class RecordingMta final : public Mta {
 public:
  Status edit_header(const HeaderEdit& edit) override {
    if (edit.kind == HeaderEdit::Kind::kRemove) {
      return note("remove " + edit.name + " " + std::to_string(edit.index));
    }
    return note("add " + edit.name + ": " + edit.value);
  }
  Status quarantine(const std::string& reason) override { return note("quarantine " + reason); }
  Status set_reply(const Reply& reply) override {
    return note("reply " + reply.code + " " + reply.enhanced_code + " " + reply.text);
  }
  void progress() override { ++progress_count; }

  std::vector<std::string> requests;
  int progress_count = 0;
  bool declines = false;

 private:
  Status note(std::string line) {
    requests.push_back(std::move(line));
    if (declines) return Error{ErrorCode::kUnavailable, "declined"};
    return {};
  }
};

}  // namespace shingled::milter::actions
