#include "milter/mta/milter_service.h"

#include <libmilter/mfapi.h>
#include <netinet/in.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "config/base/guarded.h"
#include "config/system/listen_socket.h"
#include "milter/mta/libmilter_mta.h"
#include "milter/mta/libmilter_overrides.h"
#include "milter/mta/session.h"
#include "milter/mta/traffic.h"

namespace shingled::milter::mta {

/// State of the service. The callbacks get no argument of ours, so they find it by `g_service`.
class MilterService::Impl {
 public:
  Impl(const MilterOptions& options, const judge::CurrentSnapshot& a_current, Clock& a_clock,
       Logger& a_logger, MailCounters& mail_counters, std::shared_ptr<MemoryBudget> a_memory)
      : socket(options.socket),
        current(a_current),
        clock(a_clock),
        logger(a_logger),
        counters(mail_counters),
        memory(std::move(a_memory)) {}

  const SocketSpec socket;
  const judge::CurrentSnapshot& current;
  Clock& clock;
  Logger& logger;
  MailCounters& counters;
  const std::shared_ptr<MemoryBudget> memory;

  Traffic traffic;

  struct End {
    bool stopped = false;
    std::optional<bool>
        libmilter_ended{};  // empty while it runs; then whether it ended without an error
  };
  Guarded<End> end;
  std::condition_variable changed;
};

namespace {

constexpr int kBacklog = 256;
constexpr std::string_view kOption = "milter.socket";
// More than the 64 KB of libmilter: long headers exist.
constexpr std::size_t kPacketBytesMax = 1024UL * 1024;
constexpr unsigned long kActionsWanted =
    SMFIF_ADDHDRS | SMFIF_CHGHDRS | SMFIF_QUARANTINE | SMFIF_SETSYMLIST;
constexpr unsigned long kStepsUnwanted = SMFIP_NODATA | SMFIP_NOUNKNOWN;
// If the MTA requires an answer to these steps, libmilter sends one.
constexpr unsigned long kStepsUnanswered =
    SMFIP_NR_CONN | SMFIP_NR_HELO | SMFIP_NR_HDR | SMFIP_NR_EOH | SMFIP_NR_BODY;
// Only limits answer a recipient, and only the counters want to know of those that the MTA has
// refused itself.
unsigned long steps_for(bool limits, bool counts) {
  if (!counts) return SMFIP_NOHELO | (limits ? 0 : SMFIP_NORCPT);
  return SMFIP_RCPT_REJ | (limits ? 0 : SMFIP_NR_RCPT);
}

/// libmilter gives its callbacks no user data before we set it for each connection. The object
/// lives as long as the process, like the threads of libmilter. Its Traffic is closed when its
/// owner is destroyed.
std::atomic<MilterService::Impl*> g_service{nullptr};

void do_after_answer(std::function<void()> work);

/// One connection of the MTA; the private pointer of libmilter refers to it.
struct Connection {
  Connection(MilterService::Impl& service, unsigned long steps)
      : spacing((steps & SMFIP_HDR_LEADSPC) != 0 ? HeaderSpacing::kKept : HeaderSpacing::kStripped),
        answers_recipients((steps & SMFIP_NR_RCPT) == 0),
        session(service.current, service.clock, service.logger, &service.counters,
                {service.memory, service.traffic.stopping(), do_after_answer}) {}
  const HeaderSpacing spacing;
  const bool answers_recipients;
  Session session;
  Traffic::Message message;
};

Connection* connection_of(SMFICTX* context) {
  return static_cast<Connection*>(smfi_getpriv(context));
}

/// A callback under way; false if the service is closed.
class Step {
 public:
  Step() : service_(g_service.load()) {
    if (service_ != nullptr && !service_->traffic.enter()) service_ = nullptr;
  }
  ~Step() {
    if (service_ != nullptr) service_->traffic.leave();
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  explicit operator bool() const { return service_ != nullptr; }
  [[nodiscard]] MilterService::Impl& service() const { return *service_; }
  /// Tells the service whether the connection has a message under way.
  void count_message(Connection& connection) const {
    service_->traffic.set_under_way(connection.message, connection.session.in_message());
  }

 private:
  MilterService::Impl* service_;
};

/// For a callback. The service does not end before it is done: from its drain on, it does it
/// itself.
void do_after_answer(std::function<void()> work) {
  const OwedWork::Number number = g_service.load()->traffic.owed().add(std::move(work));
  after_answer([number] {
    const Step step;
    if (step) step.service().traffic.owed().do_one(number);
  });
}

/// Runs a step. No exception may leave a C callback: if the step throws, its message fails, and the
/// failure policy judges it at its end. If the service is closed, the failure policy answers at
/// once.
template <typename Body>
sfsistat guarded_step(SMFICTX* context, sfsistat usual, Body&& body) noexcept {
  Connection* connection = connection_of(context);
  if (connection == nullptr) return usual;
  const Step step;
  if (!step) {
    return usual == SMFIS_NOREPLY ? SMFIS_NOREPLY : answer(connection->session.failure_action());
  }
  sfsistat result = usual;
  try {
    result = body(*connection);
  } catch (const std::exception& failure) {
    connection->session.fail(failure.what());
  } catch (...) {
    connection->session.fail("unknown exception");
  }
  step.count_message(*connection);
  return result;
}

sfsistat on_negotiate(SMFICTX* context, unsigned long actions, unsigned long steps,
                      unsigned long /*f2*/, unsigned long /*f3*/, unsigned long* actions_out,
                      unsigned long* steps_out, unsigned long* f2_out, unsigned long* f3_out) {
  *actions_out = actions & kActionsWanted;
  *f2_out = 0;
  *f3_out = 0;
  const Step step;
  if (!step) return SMFIS_REJECT;
  if (step.service().socket.kind != SocketSpec::Kind::kUnix)
    warn_if_not_read(step.service().logger);
  const auto snapshot = step.service().current.get();
  const unsigned long chosen =
      steps_for(snapshot->limiter != nullptr, snapshot->counter != nullptr);
  if ((actions & SMFIF_SETSYMLIST) != 0) request_macros(context);
  *steps_out = steps & (kStepsUnwanted | kStepsUnanswered | SMFIP_HDR_LEADSPC | chosen);
  try {
    auto connection = std::make_unique<Connection>(step.service(), *steps_out);
    if (smfi_setpriv(context, connection.get()) == MI_SUCCESS)
      static_cast<void>(connection.release());
    return SMFIS_CONTINUE;
  } catch (...) {
    return SMFIS_REJECT;  // the MTA continues with its own default action
  }
}

/// libmilter gives no address for the family "U". Sendmail uses this family for a message from its
/// standard input, Postfix for a client that has no internet socket; in both cases the host is
/// "localhost". But Postfix also uses it if it does not know the client; then the host is
/// "unknown", and the client must not get privileges.
Unaddressed without_address(const char* host, const sockaddr* address) {
  const bool local = address != nullptr ? address->sa_family == AF_UNIX
                                        : host != nullptr && std::string_view(host) == "localhost";
  return local ? Unaddressed::kLocal : Unaddressed::kUnknown;
}

/// The name of the client, if its address and its name belong to each other. Sendmail gives the
/// address in brackets otherwise, and Postfix "unknown".
std::string_view verified_name(SMFICTX* context, const char* host, const sockaddr* address) {
  const bool by_network = address != nullptr && address->sa_family != AF_UNIX;
  const std::string_view name = by_network && host != nullptr ? host : "";
  const std::string_view resolved = macro(context, kClientResolve);
  const bool forged = !resolved.empty() && resolved != "OK";
  return forged || name == "unknown" || name.starts_with('[') ? std::string_view() : name;
}

sfsistat on_connect(SMFICTX* context, char* host, sockaddr* address) {
  return guarded_step(context, SMFIS_NOREPLY, [&](Connection& connection) {
    const socklen_t length = address != nullptr && address->sa_family == AF_INET6
                                 ? sizeof(sockaddr_in6)
                                 : sizeof(sockaddr_in);
    connection.session.connect(address != nullptr ? IpAddress::from(address, length) : std::nullopt,
                               connection.spacing, without_address(host, address),
                               verified_name(context, host, address));
    return SMFIS_NOREPLY;
  });
}

sfsistat on_hello(SMFICTX* context, char* name) {
  return guarded_step(context, SMFIS_NOREPLY, [&](Connection& connection) {
    connection.session.hello(name != nullptr ? name : "");
    return SMFIS_NOREPLY;
  });
}

/// The path of MAIL or RCPT.
std::string_view first(char** arguments) {
  return arguments != nullptr && arguments[0] != nullptr ? arguments[0] : "";
}

sfsistat on_mail_from(SMFICTX* context, char** arguments) {
  const std::string_view login = macro(context, kLogin);
  if (Connection* connection = connection_of(context)) connection->session.identify(login);
  return guarded_step(context, SMFIS_CONTINUE, [&](Connection& connection) {
    const auto next = connection.session.mail_from(first(arguments), login);
    return next == Session::Next::kAccept ? SMFIS_ACCEPT : SMFIS_CONTINUE;
  });
}

/// Whether the MTA has refused the recipient: then it names a mailer that does not exist.
bool is_refused(SMFICTX* context) { return macro(context, kMailer) == "error"; }

sfsistat on_recipient(SMFICTX* context, char** arguments) {
  const Connection* known = connection_of(context);
  const bool answers = known == nullptr || known->answers_recipients;
  return guarded_step(
      context, answers ? SMFIS_CONTINUE : SMFIS_NOREPLY, [&](Connection& connection) {
        if (is_refused(context)) {
          connection.session.refused_recipient();
          return answers ? SMFIS_CONTINUE : SMFIS_NOREPLY;
        }
        if (!answers) {
          connection.session.unlimited_recipient(first(arguments));
          return SMFIS_NOREPLY;
        }
        const auto reply = connection.session.recipient(first(arguments));
        if (!reply) return SMFIS_CONTINUE;
        static_cast<void>(LibmilterMta(context, connection.spacing).set_reply(*reply));
        return SMFIS_TEMPFAIL;  // if the MTA declines our text, it sends its own
      });
}

sfsistat on_header(SMFICTX* context, char* name, char* value) {
  return guarded_step(context, SMFIS_NOREPLY, [&](Connection& connection) {
    connection.session.header(name, value);
    return SMFIS_NOREPLY;
  });
}

sfsistat on_end_of_headers(SMFICTX* context) {
  return guarded_step(context, SMFIS_NOREPLY, [](Connection& connection) {
    connection.session.end_of_headers();
    return SMFIS_NOREPLY;
  });
}

sfsistat on_body(SMFICTX* context, unsigned char* bytes, size_t count) {
  return guarded_step(context, SMFIS_NOREPLY, [&](Connection& connection) {
    connection.session.body({reinterpret_cast<const char*>(bytes), count});
    return SMFIS_NOREPLY;
  });
}

sfsistat on_end_of_message(SMFICTX* context) {
  return guarded_step(context, SMFIS_CONTINUE, [&](Connection& connection) {
    LibmilterMta mta(context, connection.spacing);
    return answer(connection.session.end_of_message(macro(context, kQueueId), mta));
  });
}

sfsistat on_abort(SMFICTX* context) {
  return guarded_step(context, SMFIS_CONTINUE, [](Connection& connection) {
    connection.session.abort();
    return SMFIS_CONTINUE;
  });
}

sfsistat on_close(SMFICTX* context) noexcept {
  leave_connection();
  const std::unique_ptr<Connection> connection(connection_of(context));
  const Step step;
  try {
    smfi_setpriv(context, nullptr);
    if (step && connection != nullptr) connection->session.abort();
  } catch (...) {  // nobody waits for an answer, and the object goes in any case
  }
  if (step && connection != nullptr)
    step.service().traffic.set_under_way(connection->message, false);
  return SMFIS_CONTINUE;
}

Status register_callbacks(const MilterOptions& options) {
  char name[] = "shingled";
  smfiDesc description{};
  description.xxfi_name = name;
  description.xxfi_version = SMFI_VERSION;
  description.xxfi_flags = kActionsWanted;
  description.xxfi_connect = on_connect;
  description.xxfi_helo = on_hello;
  description.xxfi_envfrom = on_mail_from;
  description.xxfi_envrcpt = on_recipient;
  description.xxfi_header = on_header;
  description.xxfi_eoh = on_end_of_headers;
  description.xxfi_body = on_body;
  description.xxfi_eom = on_end_of_message;
  description.xxfi_abort = on_abort;
  description.xxfi_close = on_close;
  description.xxfi_negotiate = on_negotiate;
  smfi_setmaxdatasize(kPacketBytesMax);
  std::string connection = options.socket.to_string();
  const bool ok = smfi_register(description) == MI_SUCCESS &&
                  smfi_setconn(connection.data()) == MI_SUCCESS &&
                  smfi_setbacklog(kBacklog) == MI_SUCCESS &&
                  smfi_settimeout(static_cast<int>(options.mta_timeout.count())) == MI_SUCCESS;
  if (ok) return {};
  return Error{ErrorCode::kInvalid,
               "milter.socket " + connection + ": libmilter does not accept it"};
}

bool open_socket() {
  const OwnerOnly until_it_has_its_mode;
  return smfi_opensocket(/*rmsocket=*/false) == MI_SUCCESS;
}

}  // namespace

Result<std::unique_ptr<MilterService>> MilterService::open(const MilterOptions& options,
                                                           const judge::CurrentSnapshot& current,
                                                           Clock& clock, Logger& logger,
                                                           MailCounters& counters,
                                                           std::shared_ptr<MemoryBudget> memory) {
  if (Status status = prepare_listening_socket(options.socket, kOption); !status)
    return status.error();
  if (Status status = register_callbacks(options); !status) return status.error();
  if (!open_socket()) {
    return Error{ErrorCode::kUnavailable,
                 "milter.socket " + options.socket.to_string() + ": libmilter cannot listen on it"};
  }
  const UnixAccess access{options.socket_mode & 0777U, options.socket_group};
  if (Status status = set_socket_access(options.socket, access, kOption); !status)
    return status.error();
  send_without_delay();
  const bool over_tcp = options.socket.kind != SocketSpec::Kind::kUnix;
  set_wire({.acknowledge = over_tcp, .command_max = kPacketBytesMax, .memory = memory});
  if (over_tcp) warn_if_not_acknowledging(logger);
  auto impl = std::make_unique<Impl>(options, current, clock, logger, counters, std::move(memory));
  g_service.store(impl.get());
  return std::unique_ptr<MilterService>(new MilterService(std::move(impl)));
}

MilterService::MilterService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

MilterService::~MilterService() {
  static_cast<void>(drain(impl_->clock.now()));
  stop();
  static_cast<void>(impl_.release());  // the threads of libmilter still use it
}

Status MilterService::run() {
  // smfi_stop(3) cannot be used: the listener destroys its lock while the caller waits for it, and
  // the controller of the workers frees their connections and destroys their common lock without
  // waiting for them. So the serving thread is never stopped; it runs until the process ends, as
  // libmilter does it with all its other threads.
  std::thread([impl = impl_.get()] {
    const bool well = smfi_main() == MI_SUCCESS;
    auto end = impl->end.lock();
    end->libmilter_ended = well;
    impl->changed.notify_all();
  }).detach();
  auto end = impl_->end.lock();
  impl_->changed.wait(end.as_lock(), [&] { return end->stopped || end->libmilter_ended; });
  if (end->stopped || *end->libmilter_ended) return {};
  return Error{ErrorCode::kInternal, "libmilter ended with an error, see syslog"};
}

void MilterService::stop() {
  if (std::exchange(impl_->end.lock()->stopped, true)) return;
  impl_->changed.notify_all();
  if (impl_->socket.kind == SocketSpec::Kind::kUnix) ::unlink(impl_->socket.path.c_str());
}

std::size_t MilterService::messages_under_way() const { return impl_->traffic.messages(); }

std::size_t MilterService::drain(TimePoint deadline) { return impl_->traffic.drain(deadline); }

}  // namespace shingled::milter::mta
