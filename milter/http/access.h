#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/whole_file.h"
#include "milter/http/accounts/key_file.h"
#include "milter/http/accounts/sessions.h"
#include "milter/http/accounts/user_file.h"
#include "milter/http/host_check.h"
#include "milter/http/http_message.h"
#include "storage/access/limit_table.h"

namespace shingled::milter::http {

/// Who may do what: from the settings of section `http`.
struct AccessOptions {
  Role local = Role::kChange;  ///< of requests from this machine without a key
  std::string keys_file;       ///< empty, or a file that need not exist
  std::string users_file;      ///< the same
};

/// The ends of a connection and the header of a request.
struct RequestHead {
  std::optional<IpAddress> peer;  ///< nullopt: a unix socket
  std::optional<IpAddress> own;
  bool is_get = true;
  /// The value of a field; nullptr if there is none.
  std::function<const char*(const char* name)> field;

  /// Whether a request from this machine has a Host that is not ours. It may come from a page in a
  /// browser, whose name was made to resolve to this server (DNS rebinding). Requests from other
  /// machines are allowed by the addresses of the listener, with any name.
  [[nodiscard]] bool host_is_wrong(const HostCheck& hosts) const;
  /// Whether it comes from this machine and not through a proxy: over a unix socket, or over
  /// loopback with a name of loopback as Host.
  [[nodiscard]] bool is_local() const;
  /// Whether a browser sends it: then a change needs a token, as any page could have caused it.
  [[nodiscard]] bool is_browser() const;
};

/// Decides who sends a request (Caller), signs people in and out.
///
///   a key (Authorization: Bearer KEY, or X-Shingled-Key)   the role of the key
///   a session (cookie)                                     the role of the person
///   this machine: a unix socket, or loopback directly      `local`
///   everybody else                                         kOff
///
/// What changes something needs from a browser the token of its session (kCsrfHeader), and from a
/// program on this machine without a key the field kDirectHeader: a page of a stranger can send
/// neither.
///
/// The files are read when this begins and when they have changed. A file that is wrong then
/// changes nothing.
/// Threads: any thread.
class Access {
 public:
  /// Errors: of the files: kInvalid with file and line; kDenied: others than the owner may read it.
  static Result<std::unique_ptr<Access>> open(AccessOptions options, Clock& clock, Random& random);

  [[nodiscard]] Caller caller(const RequestHead& head) const;

  struct SignedIn {
    std::string session;
    std::string csrf;
    std::string name;
    Role role = Role::kOff;
  };
  /// Errors:  kDenied (a wrong name or password: which one is not told), kLimit (too many failures
  ///          of this network or for this name from there: try again later).
  /// Cost:    about 0.1 s and 64 MiB, whether or not there is such a person; one at a time.
  Result<SignedIn> sign_in(const std::string& name, std::string_view password,
                           const std::string& network);
  /// Whether the caller of an earlier request may still do that: the key is there with the same
  /// role, the session has not ended.
  [[nodiscard]] bool still_may(const Caller& caller, Right right) const;
  /// Whether somebody could sign in.
  [[nodiscard]] bool has_people() const { return !state_.lock()->users.empty(); }
  void sign_out(std::string_view session) { state_.lock()->sessions.close(session); }

  /// Reads the files that have changed. Call it now and then.
  /// Errors: those of `open`; what was in force stays.
  Status look();

 private:
  Access(AccessOptions options, Clock& clock, Random& random);
  Status read_keys_file();
  Status read_users_file();

  const AccessOptions options_;
  Clock& clock_;
  const std::string local_token_;  ///< the csrf of browsers on this machine without a session
  struct State {
    explicit State(Random& random) : sessions(random) {}
    std::vector<ProgramKey> keys;
    std::vector<User> users;
    Sessions sessions;
    FileStamp keys_stamp{};
    FileStamp users_stamp{};
  };
  mutable Guarded<State> state_;
  storage::access::LimitTable tries_;
  Mutex hashing_;  ///< one password at a time: each wants 64 MiB
};

}  // namespace shingled::milter::http
