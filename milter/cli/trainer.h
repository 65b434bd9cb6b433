#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/mime_options.h"
#include "milter/cli/console.h"
#include "milter/cli/message_source.h"
#include "milter/cli/server_choice.h"
#include "mime/analyze.h"
#include "storage/client/remote_store.h"

namespace shingled::milter {

/// What `add` and `del` do with each hash.
struct Lesson {
  storage::RemoteRequest::Kind kind = storage::RemoteRequest::Kind::kAdd;
  std::uint32_t flag = 0;
  std::int32_t weight = 1;
  std::string list;  ///< the flag for people: "denied (11)", "every list"
};

/// Teaches messages to the servers of one rule: every one of them must accept every hash.
///
/// Messages are sent in groups, so that the server commits many in one transaction, and a message
/// of many hashes in several; each is reported by itself, on one line. Of a message that failed the
/// line says how many of its hashes every server has. Threads: one thread.
class Trainer {
 public:
  Trainer(const Destination& pupil, const MimeOptions& mime, const Lesson& lesson,
          storage::RemoteStore& store, const Clock& clock, Console& console)
      : pupil_(pupil),
        mime_(mime),
        hash_rule_(pupil.rule->hash),
        lesson_(lesson),
        store_(store),
        clock_(clock),
        console_(console) {}

  /// One object a line instead of text.
  void set_json(bool json) { json_ = json; }
  /// Also what looks like many others (common_property.h), and what is no mail (message_shape.h).
  void set_force(bool force) { force_ = force; }

  /// Each returns the worst exit code of what was sent by this call: EX_DATAERR for a message
  /// without any hash, and for one that is not taught because it looks like many others or is none.
  int take(const SourceMessage& message);
  int take(std::string name, const std::vector<Fingerprint>& hashes);
  /// Sends what is left; call once, last.
  int finish();

 private:
  struct Pending {
    std::string name;
    std::size_t hashes = 0;
  };

  int leave_out(const std::string& name, const char* result, const std::string& why);
  int send();
  /// Of the first hashes only, when nobody answers: then the others have no better chance.
  std::vector<storage::RemoteAnswer> ask_in_groups();
  int report(const Pending& message, std::size_t stored,
             const storage::RemoteAnswer* first_failure);

  const Destination& pupil_;
  const MimeOptions& mime_;
  const mime::HashRule hash_rule_;
  const Lesson& lesson_;
  storage::RemoteStore& store_;
  const Clock& clock_;
  Console& console_;
  bool json_ = false;
  bool force_ = false;
  std::vector<Pending> pending_;
  std::vector<storage::RemoteRequest> requests_;
  std::size_t taken_ = 0;
  std::size_t done_ = 0;
  std::size_t without_hash_ = 0;
  std::size_t common_ = 0;  ///< not taught: like many others
};

}  // namespace shingled::milter
