#include "milter/http/http_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

#include "config/system/listen_socket.h"
#include "config/system/socket_address.h"
#include "milter/http/access.h"
#include "milter/http/connection_deadlines.h"
#include "milter/http/host_check.h"
#include "milter/http/http_exchange.h"
#include "milter/http/request_fields.h"
#include "milter/http/streamed_response.h"
#include "milter/http/tls_identity.h"
#include "milter/http/work_threads.h"

namespace shingled::milter::http {

namespace {
constexpr int kBacklog = 64;
constexpr std::uint64_t kStrangerBytesMax = 4096;
constexpr std::uint32_t kOfOneAddressMin = 8;
constexpr std::uint32_t kOfOneAddress = 8;  ///< an eighth of all connections
}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpServerOptions options, HttpHandler handler, std::unique_ptr<Access> access, Clock& clock)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        access_(std::move(access)),
        hosts_(options_.listen, machine_name()),
        bodies_(options_.body_bytes_max * options_.bodies_max),
        deadlines_(options_.timeout, clock),
        work_(kWorkThreads),
        slow_work_(1) {}
  ~Impl() {
    // Continues the connections that wait for it: the library wants them all.
    work_.stop();
    slow_work_.stop();
    streams_.end();
    for (MHD_Daemon* daemon : daemons_) MHD_stop_daemon(daemon);  // joins, and closes the socket
    for (const std::string& path : unix_paths_) ::unlink(path.c_str());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  /// `unix_path`: is removed at the end; empty for TCP.
  Status serve(StreamListener listener, const std::string& unix_path);
  [[nodiscard]] const HttpServerOptions& options() const { return options_; }
  [[nodiscard]] const HttpHandler& handler() const { return handler_; }
  [[nodiscard]] Access& access() { return *access_; }
  [[nodiscard]] bool is_secure() const { return options_.tls.enabled(); }
  [[nodiscard]] const HostCheck& hosts() const { return hosts_; }
  [[nodiscard]] BodyBudget& bodies() { return bodies_; }
  /// Of a stranger only what signs in is read.
  [[nodiscard]] std::uint64_t body_bytes_max(const HttpRequest& request) const {
    const bool known = request.caller.role != Role::kOff;
    return known ? options_.body_bytes_max : std::min(options_.body_bytes_max, kStrangerBytesMax);
  }
  [[nodiscard]] ConnectionDeadlines& deadlines() { return deadlines_; }
  [[nodiscard]] OpenStreams& streams() { return streams_; }
  /// `slow`: see HttpReply.
  [[nodiscard]] WorkThreads& work(bool slow) { return slow ? slow_work_ : work_; }
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  const HttpServerOptions options_;
  const HttpHandler handler_;
  const std::unique_ptr<Access> access_;
  const HostCheck hosts_;
  BodyBudget bodies_;
  ConnectionDeadlines deadlines_;
  OpenStreams streams_;
  WorkThreads work_;
  WorkThreads slow_work_;
  std::vector<MHD_Daemon*> daemons_;
  std::vector<std::string> addresses_;
  std::vector<std::string> unix_paths_;
};

namespace {

struct Arguments {
  std::map<std::string, std::string>& by_name;
  bool twice = false;  ///< one of them came twice
};

MHD_Result take_argument(void* arguments, MHD_ValueKind /*kind*/, const char* key,
                         const char* value) {
  auto& taken = *static_cast<Arguments*>(arguments);
  if (!taken.by_name.emplace(key, value != nullptr ? value : "").second) taken.twice = true;
  return MHD_YES;
}

MHD_Result take_field(void* fields, MHD_ValueKind /*kind*/, const char* key, const char* value) {
  static_cast<RequestFields*>(fields)->see(key, value != nullptr ? value : "");
  return MHD_YES;
}

/// The state of a request before on_request() sees it, if its target has a byte 0: the library
/// hands out texts that would end there.
char has_zero;

void* on_target(void* /*server*/, const char* target, MHD_Connection* /*connection*/) noexcept {
  return std::string_view(target).find("%00") != std::string_view::npos ? &has_zero : nullptr;
}

int socket_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == nullptr ? -1 : info->connect_fd;
}

const char* header(MHD_Connection* connection, const char* name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/// The address of one end of the connection; nullopt for a unix socket.
std::optional<IpAddress> ip_of(int (*ask)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (ask(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return std::nullopt;
  return IpAddress::from(reinterpret_cast<const sockaddr*>(&address), length);
}

std::string field_text(const char* field) { return field == nullptr ? "" : field; }

/// A problem object (RFC 9457). `detail`: a text of ours, without characters that JSON escapes.
HttpReply refusal(unsigned status, std::string_view detail) {
  return {status, "application/problem+json",
          fmt::format("{{\"title\":\"{}\",\"status\":{},\"detail\":\"{}\"}}\n",
                      MHD_get_reason_phrase_for(status), status, detail)};
}

/// Looks at the headers of a request, and fills it. nullopt: it may continue.
std::optional<HttpReply> refuse(HttpServer::Impl& server, MHD_Connection* connection,
                                std::string_view method, HttpRequest& request) {
  const int socket = socket_of(connection);
  request.head = method == MHD_HTTP_METHOD_HEAD;
  if (method == MHD_HTTP_METHOD_POST) {
    request.method = HttpMethod::kPost;
  } else if (method == MHD_HTTP_METHOD_DELETE) {
    request.method = HttpMethod::kDelete;
  } else if (method != MHD_HTTP_METHOD_GET && !request.head) {
    return refusal(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET, HEAD, POST and DELETE");
  }
  const RequestHead head{ip_of(&::getpeername, socket), ip_of(&::getsockname, socket),
                         request.method == HttpMethod::kGet,
                         [connection](const char* name) { return header(connection, name); }};
  if (head.host_is_wrong(server.hosts())) {
    return refusal(MHD_HTTP_MISDIRECTED_REQUEST,
                   "Host: not a name of this server; ask by 127.0.0.1, localhost, the name of this "
                   "machine or one in http.listen");
  }
  request.caller = server.access().caller(head);
  request.type = field_text(header(connection, MHD_HTTP_HEADER_CONTENT_TYPE));
  request.accept = field_text(header(connection, MHD_HTTP_HEADER_ACCEPT));
  request.if_none_match = field_text(header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH));
  RequestFields fields;
  MHD_get_connection_values(connection, MHD_HEADER_KIND, take_field, &fields);
  if (const auto wrong = fields.refusal(); wrong.status != 0)
    return refusal(wrong.status, wrong.detail);
  if (fields.has_body && request.method != HttpMethod::kPost)
    return refusal(MHD_HTTP_CONTENT_TOO_LARGE, "a request must not have a body");
  const std::uint64_t bytes_max = server.body_bytes_max(request);
  if (fields.bytes > bytes_max) {
    return refusal(MHD_HTTP_CONTENT_TOO_LARGE, "the body is too long");
  }
  Arguments arguments{request.arguments};
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_argument, &arguments);
  if (arguments.twice) return refusal(MHD_HTTP_BAD_REQUEST, "an argument is given more than once");
  return std::nullopt;
}

MHD_Response* response_of(HttpServer::Impl& server, MHD_Connection* connection, HttpReply& reply) {
  if (!reply.more && reply.events == nullptr) {
    void* bytes = reply.body.data();  // the library copies it
    return MHD_create_response_from_buffer(reply.body.size(), bytes, MHD_RESPMEM_MUST_COPY);
  }
  return streamed_response(connection, socket_of(connection), reply, server.deadlines(),
                           server.streams());
}

MHD_Result send_reply(HttpServer::Impl& server, MHD_Connection* connection, HttpReply reply) {
  MHD_Response* response = response_of(server, connection, reply);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type.c_str());
  const bool cached = std::ranges::any_of(reply.headers, [](const auto& field) {
    return field.first == MHD_HTTP_HEADER_CACHE_CONTROL;
  });
  if (!cached) MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  for (const auto& [name, value] : reply.headers)
    MHD_add_response_header(response, name.c_str(), value.c_str());
  if (reply.status == MHD_HTTP_UNAUTHORIZED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  if (reply.status == MHD_HTTP_UNAUTHORIZED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
  const MHD_Result queued = MHD_queue_response(connection, reply.status, response);
  MHD_destroy_response(response);
  return queued;
}

/// Does what takes long on another thread, and continues the connection afterwards.
MHD_Result defer(HttpServer::Impl& server, MHD_Connection* connection, HttpExchange& exchange,
                 const HttpReply& first) {
  const int socket = socket_of(connection);
  server.deadlines().closed(socket);
  MHD_suspend_connection(connection);
  const auto resume = [&server, connection, &exchange, socket](HttpReply reply) {
    exchange.finish(std::move(reply));
    server.deadlines().opened(socket);
    MHD_resume_connection(connection);
  };
  const HttpReply ending = refusal(MHD_HTTP_SERVICE_UNAVAILABLE, "the server ends");
  const bool taken =
      server.work(first.slow).add([=, later = first.later](const std::stop_token& stop) {
        HttpReply reply = refusal(MHD_HTTP_INTERNAL_SERVER_ERROR, "the server failed at this");
        try {
          reply = stop.stop_requested() ? ending : later(stop);
        } catch (...) {  // 500, as where a handler throws
        }
        resume(std::move(reply));
      });
  if (!taken) resume(ending);
  return MHD_YES;
}

/// The request is complete, or its work is done.
MHD_Result answer(HttpServer::Impl& server, MHD_Connection* connection, HttpExchange& exchange) {
  if (exchange.is_finished())
    return send_reply(server, connection, exchange.sendable(std::move(exchange.reply())));
  if (exchange.status() == HttpExchange::kTooLarge) {
    return send_reply(server, connection, refusal(HttpExchange::kTooLarge, "the body is too long"));
  }
  if (exchange.status() != 0) {
    return send_reply(server, connection,
                      refusal(exchange.status(), "too many requests at the same time"));
  }
  HttpReply reply = server.handler()(exchange.request());
  if (reply.later) return defer(server, connection, exchange, reply);
  return send_reply(server, connection, exchange.sendable(std::move(reply)));
}

/// libmicrohttpd calls this after the start line and the headers, for each part of the body, and at
/// the end of the request. A reply in the first call refuses the body. MHD_NO closes the
/// connection.
MHD_Result on_request(void* server, MHD_Connection* connection, const char* url, const char* method,
                      const char* /*version*/, const char* upload, std::size_t* upload_bytes,
                      void** state) noexcept {
  auto& self = *static_cast<HttpServer::Impl*>(server);
  try {
    if (*state == &has_zero) {
      *state = nullptr;
      return send_reply(self, connection,
                        refusal(MHD_HTTP_BAD_REQUEST, "the target of the request has a byte 0"));
    }
    if (*state == nullptr) {
      HttpRequest request;
      request.path = url;
      if (auto refused = refuse(self, connection, method, request))
        return send_reply(self, connection, *std::move(refused));
      const std::uint64_t bytes_max = self.body_bytes_max(request);
      *state = new HttpExchange(std::move(request), bytes_max, self.bodies());
      return MHD_YES;
    }
    auto& exchange = *static_cast<HttpExchange*>(*state);
    if (*upload_bytes > 0) {
      exchange.take({upload, *upload_bytes});
      *upload_bytes = 0;
      return MHD_YES;
    }
    return answer(self, connection, exchange);
  } catch (const std::exception&) {
    return send_reply(self, connection,
                      refusal(MHD_HTTP_INTERNAL_SERVER_ERROR, "the server failed at this"));
  } catch (...) {
    return MHD_NO;
  }
}

/// The library calls this when it has sent a reply, or has given it up.
void on_end(void* server, MHD_Connection* connection, void** state,
            MHD_RequestTerminationCode /*why*/) noexcept {
  if (*state != &has_zero) delete static_cast<HttpExchange*>(*state);
  *state = nullptr;
  static_cast<HttpServer::Impl*>(server)->deadlines().renewed(socket_of(connection));
}

/// The library calls this when a connection begins and before it closes its socket.
void on_connection(void* server, MHD_Connection* connection, void** /*state*/,
                   MHD_ConnectionNotificationCode what) noexcept {
  const int socket = socket_of(connection);
  if (socket < 0) return;
  auto& deadlines = static_cast<HttpServer::Impl*>(server)->deadlines();
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    deadlines.opened(socket);
  } else {
    deadlines.closed(socket);
  }
}

}  // namespace

Status HttpServer::Impl::serve(StreamListener listener, const std::string& unix_path) {
  const unsigned of_one_address =
      std::max(kOfOneAddressMin, options_.connections_max / kOfOneAddress);
  const unsigned threads = options_.threads > 1 ? options_.threads : 0;  // 0: without a pool
  const bool is_unix = !unix_path.empty();
  if (is_unix) unix_paths_.push_back(unix_path);
  // A unix socket is not on a network: it needs no TLS.
  const unsigned tls = is_secure() && !is_unix ? MHD_USE_TLS : 0;
  std::vector<MHD_OptionItem> options;
  if (tls != 0) options.push_back({MHD_OPTION_HTTPS_CERT_CALLBACK, 0, TlsIdentity::callback()});
  options.push_back({MHD_OPTION_END, 0, nullptr});
  MHD_Daemon* daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | tls, 0, nullptr, nullptr,
      &on_request, this, MHD_OPTION_LISTEN_SOCKET, listener.fd(), MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(options_.connections_max), MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      of_one_address, MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(options_.timeout.count()), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kRequestBytesMax, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
      &on_connection, this, MHD_OPTION_NOTIFY_COMPLETED, &on_end, this, MHD_OPTION_URI_LOG_CALLBACK,
      &on_target, this, MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_ARRAY, options.data(),
      MHD_OPTION_END);
  if (daemon == nullptr) {
    return Error{ErrorCode::kUnavailable, options_.option + " " + listener.address().to_string() +
                                              ": libmicrohttpd cannot listen on it"};
  }
  static_cast<void>(listener.release().release());  // the library owns it now
  daemons_.push_back(daemon);
  addresses_.push_back(listener.address().to_string());
  return {};
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                      HttpHandler handler, Clock& clock,
                                                      Random& random) {
  // All threads of the service inherit the priority of the one that starts them. Beside mail that
  // takes all processors they still get a thirtieth of one: somebody has to be able to look then,
  // and /readyz has to answer. A sandbox may forbid the call: then requests and mail share alike.
  return std::async(std::launch::async,
                    [&] {
                      [[maybe_unused]] const int niceness = ::nice(kNicer);
                      return start_here(options, std::move(handler), clock, random);
                    })
      .get();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start_here(const HttpServerOptions& options,
                                                           HttpHandler handler, Clock& clock,
                                                           Random& random) {
  auto access = Access::open(options.access, clock, random);
  if (!access) return access.error().in(options.option);
  if (options.tls.enabled()) {
    auto identity = TlsIdentity::read(options.tls);
    if (!identity) return identity.error().in("http.tls");
    TlsIdentity::use(*std::move(identity));
  }
  auto impl = std::make_unique<Impl>(options, std::move(handler), *std::move(access), clock);
  for (const SocketSpec& spec : options.listen) {
    auto listeners = listen_on(spec, kBacklog, {}, options.option);
    if (!listeners) return listeners.error();
    for (StreamListener& listener : *listeners) {
      Status served = impl->serve(std::move(listener), spec.path);
      if (!served) return served.error();
    }
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

const std::vector<std::string>& HttpServer::addresses() const { return impl_->addresses(); }

std::string HttpServer::library_version() { return MHD_get_version(); }

Access& HttpServer::access() { return impl_->access(); }

}  // namespace shingled::milter::http
