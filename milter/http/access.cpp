#include "milter/http/access.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "mime/fingerprint/secret_hash.h"
#include "storage/crypto/password.h"

namespace shingled::milter::http {

namespace {

using storage::access::LimitLaw;
using storage::access::LimitTable;

constexpr std::size_t kTriesKept = 4096;
// How often somebody may try a password, in a burst and a second.
const LimitLaw kTriesOfNetwork{LeakRate(1.0 / 10, 20), {}};
const LimitLaw kTriesForName{LeakRate(1.0 / 60, 5), {}};  ///< from one network
constexpr std::size_t kSecretBytesMax = 256;

std::string_view text_of(const char* field) { return field == nullptr ? "" : field; }

/// The key that a client sent; "" without one.
std::string_view sent_key(const RequestHead& head) {
  constexpr std::string_view kBearer = "Bearer ";
  if (const char* key = head.field(kKeyHeader); key != nullptr) return key;
  const std::string_view given = text_of(head.field("Authorization"));
  const bool is_bearer = given.size() > kBearer.size() &&
                         ::strncasecmp(given.data(), kBearer.data(), kBearer.size()) == 0;
  return is_bearer ? given.substr(kBearer.size()) : "";
}

/// The value of a cookie; "" without one.
std::string_view cookie(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    cookies.remove_prefix(std::min(cookies.find_first_not_of("; "), cookies.size()));
    const std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(one.size());
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return "";
}

bool names_loopback(std::string_view host) {
  const std::string_view name = without_port(host);
  const auto ip = IpAddress::parse(name);
  return name == "localhost" || (ip && ip->is_loopback());
}

/// Compares without telling by its time where texts differ.
bool equal_secrets(std::string_view a, std::string_view b) {
  return !b.empty() && a.size() <= kSecretBytesMax && key_digest(a).bytes == key_digest(b).bytes;
}

std::string network_of(const std::optional<IpAddress>& peer) {
  constexpr int kBitsV4 = 24;
  constexpr int kBitsV6 = 64;
  if (!peer) return "";
  return Network::of(*peer, peer->family == IpAddress::Family::kV4 ? kBitsV4 : kBitsV6).to_string();
}

/// A file that need not exist; nullopt if it does not, or has not changed since `stamp`.
Result<std::optional<std::string>> read_changed(const std::string& path, FileStamp& stamp) {
  if (path.empty()) return std::optional<std::string>();
  const FileStamp present = stamp_of(path);
  if (present == stamp) return std::optional<std::string>();
  stamp = present;
  if (present == FileStamp{}) return std::optional<std::string>("");
  auto file = read_whole_file(path, kKeyFileBytesMax);
  if (!file) return file.error();
  stamp = file->stamp;
  if ((file->mode & 007) != 0)
    return Error{ErrorCode::kDenied, path + ": everybody may read it; allowed: mode 0640 or 0600"};
  return std::optional(std::move(file->text));
}

}  // namespace

bool RequestHead::host_is_wrong(const HostCheck& hosts) const {
  const char* host = field("Host");
  const bool is_here = peer && (peer->is_loopback() || peer == own);
  return host != nullptr && is_here && !hosts.is_ours(host);
}

bool RequestHead::is_local() const {
  const char* host = field("Host");
  const bool relayed = field("X-Forwarded-For") != nullptr || field("Forwarded") != nullptr ||
                       field("Via") != nullptr;
  if (relayed || !peer) return !relayed;
  return peer->is_loopback() && host != nullptr && names_loopback(host);
}

bool RequestHead::is_browser() const {
  return field("Origin") != nullptr || field("Sec-Fetch-Site") != nullptr ||
         field("Referer") != nullptr || field("Cookie") != nullptr;
}

Access::Access(AccessOptions options, Clock& clock, Random& random)
    : options_(std::move(options)),
      clock_(clock),
      local_token_(Sessions::secret(random)),
      state_(std::in_place, random),
      tries_(kTriesKept) {}

Result<std::unique_ptr<Access>> Access::open(AccessOptions options, Clock& clock, Random& random) {
  std::unique_ptr<Access> access(new Access(std::move(options), clock, random));
  if (Status read = access->look(); !read) return read.error();
  return access;
}

Status Access::look() {
  const Status keys = read_keys_file();
  const Status users = read_users_file();
  return keys ? users : keys;
}

Status Access::read_keys_file() {
  auto state = state_.lock();
  const auto text = read_changed(options_.keys_file, state->keys_stamp);
  if (!text) return text.error();
  if (!*text) return {};
  auto keys = parse_keys(**text, options_.keys_file);
  if (!keys) return keys.error();
  state->keys = *std::move(keys);
  return {};
}

Status Access::read_users_file() {
  auto state = state_.lock();
  const auto text = read_changed(options_.users_file, state->users_stamp);
  if (!text) return text.error();
  if (!*text) return {};
  auto users = parse_users(**text, options_.users_file);
  if (!users) return users.error();
  state->users = *std::move(users);
  state->sessions.keep(state->users);
  return {};
}

Caller Access::caller(const RequestHead& head) const {
  Caller out;
  out.network = network_of(head.peer);
  if (const std::string_view key = sent_key(head); !key.empty()) {
    auto state = state_.lock();
    if (const ProgramKey* known = find_key(state->keys, key)) {
      out.role = known->role;
      out.name = known->name;
    } else {
      out.why = "the key is not known";
    }
    return out;
  }
  const std::string_view session = cookie(text_of(head.field("Cookie")), kSessionCookie);
  if (!session.empty()) {
    if (const auto known = state_.lock()->sessions.find(session, clock_.now())) {
      out.role = known->user.role;
      out.name = known->user.name;
      out.session = session;
      out.csrf = known->csrf;
      out.changes = equal_secrets(text_of(head.field(kCsrfHeader)), known->csrf);
    }
  }
  if (out.role == Role::kOff && head.is_local()) {
    out.role = options_.local;
    const bool browser = head.is_browser();
    if (browser || head.is_get) out.csrf = local_token_;
    out.changes = browser ? equal_secrets(text_of(head.field(kCsrfHeader)), local_token_)
                          : head.field(kDirectHeader) != nullptr;
    if (!out.changes) out.why = "a change needs the field X-Shingled, or of a browser its token";
  } else if (!out.changes) {
    out.why = "a change needs the token of the session, in the field X-Shingled-Token";
  }
  if (out.role == Role::kOff)
    out.why = "sign in, or send a key: Authorization: Bearer KEY (shingled key add)";
  return out;
}

bool Access::still_may(const Caller& caller, Right right) const {
  auto state = state_.lock();
  if (!caller.session.empty()) {
    const auto known = state->sessions.find(caller.session, clock_.now());
    return known && may(known->user.role, right);
  }
  if (caller.name.empty()) return may(caller.role, right);  // this machine
  const auto key = std::ranges::find(state->keys, caller.name, &ProgramKey::name);
  return key != state->keys.end() && may(key->role, right);
}

Result<Access::SignedIn> Access::sign_in(const std::string& name, std::string_view password,
                                         const std::string& network) {
  const auto& hash = SecretHash::of_process();
  const TimePoint now = clock_.now();
  const std::uint64_t of_network = hash(std::string_view("network " + network)) | 1U;
  const std::uint64_t for_name = hash(std::string_view(network + " " + name)) | 1U;
  const auto passes = [&](std::uint64_t who, const LimitLaw& law) {
    return tries_.add(who, law, now) == LimitTable::Decision::kPass;
  };
  if (!passes(of_network, kTriesOfNetwork) || !passes(for_name, kTriesForName))
    return Error{ErrorCode::kLimit, "too many wrong passwords; try again in a minute"};
  // The hash of nobody, so that the time does not tell which names there are.
  User user{"", Role::kOff,
            "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
  {
    auto state = state_.lock();
    const auto found = std::ranges::find(state->users, name, &User::name);
    if (found != state->users.end()) user = *found;
  }
  bool right = false;
  {
    const MutexLock one_at_a_time(hashing_);
    right = password.size() <= storage::crypto::kPasswordBytesMax &&
            storage::crypto::is_password(password, user.hash);
  }
  if (!right || user.role == Role::kOff)
    return Error{ErrorCode::kDenied, "the name or the password is wrong"};
  tries_.take_back(of_network, kTriesOfNetwork, now);
  tries_.take_back(for_name, kTriesForName, now);
  auto state = state_.lock();
  SignedIn out{state->sessions.open(user, now), "", user.name, user.role};
  out.csrf = state->sessions.find(out.session, now)->csrf;
  return out;
}

}  // namespace shingled::milter::http
