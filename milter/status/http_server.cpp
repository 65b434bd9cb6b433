#include "milter/status/http_server.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "config/system/listen_socket.h"
#include "config/system/socket_address.h"
#include "milter/status/connection_deadlines.h"
#include "milter/status/host_check.h"

namespace shingled::milter::status {

namespace {
constexpr int kBacklog = 64;
}  // namespace

class HttpServer::Impl {
 public:
  Impl(StatusOptions options, HttpHandler handler, Clock& clock)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        hosts_(options_, machine_name()),
        deadlines_(options_.timeout, clock) {}
  ~Impl() {
    for (MHD_Daemon* daemon : daemons_) MHD_stop_daemon(daemon);  // joins, and closes the socket
    for (const std::string& path : unix_paths_) ::unlink(path.c_str());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  /// `unix_path`: is removed at the end; empty for TCP.
  Status serve(StreamListener listener, const std::string& unix_path);
  [[nodiscard]] const HttpHandler& handler() const { return handler_; }
  [[nodiscard]] const HostCheck& hosts() const { return hosts_; }
  [[nodiscard]] ConnectionDeadlines& deadlines() { return deadlines_; }
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  const StatusOptions options_;
  const HttpHandler handler_;
  const HostCheck hosts_;
  ConnectionDeadlines deadlines_;
  std::vector<MHD_Daemon*> daemons_;
  std::vector<std::string> addresses_;
  std::vector<std::string> unix_paths_;
};

namespace {

MHD_Result take_argument(void* arguments, MHD_ValueKind /*kind*/, const char* key,
                         const char* value) {
  static_cast<std::map<std::string, std::string>*>(arguments)->emplace(
      key, value != nullptr ? value : "");
  return MHD_YES;
}

/// Called for each header; sets `found` and ends the walk at a header that announces a body.
MHD_Result look_for_body(void* found, MHD_ValueKind /*kind*/, const char* key, const char* value) {
  const bool length = ::strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 && value != nullptr &&
                      std::strcmp(value, "0") != 0;
  if (!length && ::strcasecmp(key, MHD_HTTP_HEADER_TRANSFER_ENCODING) != 0) return MHD_YES;
  *static_cast<bool*>(found) = true;
  return MHD_NO;
}

bool has_body(MHD_Connection* connection) {
  bool found = false;
  MHD_get_connection_values(connection, MHD_HEADER_KIND, look_for_body, &found);
  return found;
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

struct Ends {
  std::optional<IpAddress> peer;
  std::optional<IpAddress> own;
  explicit Ends(MHD_Connection* connection) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info == nullptr) return;
    peer = ip_of(&::getpeername, info->connect_fd);
    own = ip_of(&::getsockname, info->connect_fd);
  }
  [[nodiscard]] bool is_unix() const { return !peer && !own; }
  [[nodiscard]] bool on_this_machine() const {
    return is_unix() || (peer && (peer->is_loopback() || peer == own));
  }
};

/// Refuses other names in requests from this machine: they may come from a page in a browser, whose
/// name was made to resolve to this server. Requests from other machines are allowed by
/// status.listen, with any name.
bool host_is_wrong(const HostCheck& hosts, MHD_Connection* connection, const Ends& ends) {
  const char* host = header(connection, MHD_HTTP_HEADER_HOST);
  return host != nullptr && !ends.is_unix() && ends.on_this_machine() && !hosts.is_ours(host);
}

bool names_loopback(std::string_view host) {
  const std::string_view name = without_port(host);
  const auto ip = IpAddress::parse(name);
  return name == "localhost" || (ip && ip->is_loopback());
}

bool is_direct(MHD_Connection* connection, const Ends& ends) {
  const char* host = header(connection, MHD_HTTP_HEADER_HOST);
  const bool relayed = header(connection, "X-Forwarded-For") != nullptr ||
                       header(connection, MHD_HTTP_HEADER_FORWARDED) != nullptr ||
                       header(connection, MHD_HTTP_HEADER_VIA) != nullptr;
  const bool is_here = ends.is_unix() || (ends.peer && ends.peer->is_loopback());
  return is_here && !relayed && host != nullptr && names_loopback(host) &&
         header(connection, kDirectHeader) != nullptr;
}

HttpReply reply_to(const HttpServer::Impl& server, MHD_Connection* connection, const char* url,
                   std::string_view method) {
  const Ends ends(connection);
  if (host_is_wrong(server.hosts(), connection, ends)) {
    return {
        MHD_HTTP_MISDIRECTED_REQUEST, HttpReply{}.type,
        "Host: not a name of this server; ask by 127.0.0.1, localhost, the name of this machine "
        "or one in status.listen\n"};
  }
  const bool post = method == MHD_HTTP_METHOD_POST;
  if (!post && method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
    return {MHD_HTTP_METHOD_NOT_ALLOWED, HttpReply{}.type, "only GET, HEAD and POST\n"};
  }
  if (has_body(connection)) {
    return {MHD_HTTP_CONTENT_TOO_LARGE, HttpReply{}.type, "a request must not have a body\n"};
  }
  HttpRequest request{
      url, {}, post ? HttpMethod::kPost : HttpMethod::kGet, is_direct(connection, ends)};
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_argument, &request.arguments);
  return server.handler()(request);
}

MHD_Result send_reply(MHD_Connection* connection, const HttpReply& reply) {
  void* bytes = const_cast<char*>(reply.body.data());  // the library copies it
  MHD_Response* response =
      MHD_create_response_from_buffer(reply.body.size(), bytes, MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type.c_str());
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (reply.status == MHD_HTTP_METHOD_NOT_ALLOWED) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD, POST");
  }
  const MHD_Result queued = MHD_queue_response(connection, reply.status, response);
  MHD_destroy_response(response);
  return queued;
}

/// libmicrohttpd calls this after the start line and the headers. The reply is made at once, so the
/// library reads nothing more from the connection. MHD_NO closes the connection.
MHD_Result on_request(void* server, MHD_Connection* connection, const char* url, const char* method,
                      const char* /*version*/, const char* /*upload_data*/,
                      std::size_t* /*upload_bytes*/, void** /*state*/) noexcept {
  const auto& self = *static_cast<HttpServer::Impl*>(server);
  try {
    return send_reply(connection, reply_to(self, connection, url, method));
  } catch (const std::exception&) {
    return send_reply(connection, {MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain", ""});
  } catch (...) {
    return MHD_NO;
  }
}

/// The library calls this when a connection begins and before it closes its socket.
void on_connection(void* server, MHD_Connection* connection, void** /*state*/,
                   MHD_ConnectionNotificationCode what) noexcept {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info == nullptr) return;
  auto& deadlines = static_cast<HttpServer::Impl*>(server)->deadlines();
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    deadlines.opened(info->connect_fd);
  } else {
    deadlines.closed(info->connect_fd);
  }
}

}  // namespace

Status HttpServer::Impl::serve(StreamListener listener, const std::string& unix_path) {
  const unsigned of_one_address = options_.connections_max / 2;
  if (!unix_path.empty()) unix_paths_.push_back(unix_path);
  MHD_Daemon* daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, nullptr, nullptr, &on_request, this,
      MHD_OPTION_LISTEN_SOCKET, listener.fd(), MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(options_.connections_max), MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      of_one_address, MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(options_.timeout.count()), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kRequestBytesMax, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
      &on_connection, this, MHD_OPTION_END);
  if (daemon == nullptr) {
    return Error{ErrorCode::kUnavailable, "status.listen " + listener.address().to_string() +
                                              ": libmicrohttpd cannot listen on it"};
  }
  static_cast<void>(listener.release().release());  // the library owns it now
  daemons_.push_back(daemon);
  addresses_.push_back(listener.address().to_string());
  return {};
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const StatusOptions& options,
                                                      HttpHandler handler, Clock& clock) {
  auto impl = std::make_unique<Impl>(options, std::move(handler), clock);
  for (const SocketSpec& spec : options.listen) {
    auto listeners = listen_on(spec, kBacklog, {}, "status.listen");
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

}  // namespace shingled::milter::status
