#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/remote_store.h"
#include "storage/client/tcp_pool.h"
#include "storage/client/upstreams.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/packet_cipher.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::client {

/// The keys for encrypted requests to one service. Our key pair lives as long as the process, so
/// that the servers can cache the shared key.
struct Sealing {
  crypto::PublicKey server{};
  crypto::PublicKey own{};
  crypto::SharedKey key;
};

/// The options, keys, servers and connections that all requests to one list of servers share.
/// Threads: any thread.
class Service {
 public:
  Service(RemoteOptions service_options, ServerList server_list,
          std::optional<Sealing> service_sealing, const std::vector<UpstreamServer>& servers,
          Clock& service_clock, Random& service_random)
      : options(std::move(service_options)),
        list(std::move(server_list)),
        sealing(std::move(service_sealing)),
        clock(service_clock),
        random(service_random),
        tcp(options),
        upstreams_(std::in_place, make_upstreams(servers)) {}

  const RemoteOptions options;
  const ServerList list;
  const std::optional<Sealing> sealing;
  Clock& clock;
  Random& random;
  TcpPool tcp;

  [[nodiscard]] Rotation rotation() const { return list.rotation; }
  /// The servers at their current addresses. An exchange keeps those with which it began.
  [[nodiscard]] std::shared_ptr<Upstreams> upstreams() { return *upstreams_.lock(); }
  /// Replaces the addresses of the servers. What is known about an address that stays is kept.
  void move_to(const std::vector<UpstreamServer>& servers) {
    const auto fresh = make_upstreams(servers);
    auto current = upstreams_.lock();
    fresh->inherit(**current);
    *current = fresh;
    std::vector<SocketAddress> addresses;
    for (const auto& endpoint : fresh->endpoints()) addresses.push_back(endpoint.address);
    tcp.keep_only(addresses);
  }

 private:
  [[nodiscard]] std::shared_ptr<Upstreams> make_upstreams(
      const std::vector<UpstreamServer>& servers) const {
    const RestPolicy policy{options.errors_max, options.revive_time};
    return std::make_shared<Upstreams>(servers, list.rotation, policy);
  }

  Guarded<std::shared_ptr<Upstreams>> upstreams_;
};

/// How many questions to one service may be under way at once: one more after each answer, half as
/// many after each loss. A value.
///
/// Packets that do not fit into the receive buffer of the server are lost silently, and the repeat
/// comes a second later. Linux gives a UDP socket 208 KB by default, of which a question takes
/// 1.3 KB. So kMax questions fill the buffer if no other client asks. Nearly all messages have so
/// few questions that none has to wait.
class SendWindow {
 public:
  static constexpr std::size_t kMin = 16;
  static constexpr std::size_t kFirst = 32;  ///< the number of questions of a long message
  static constexpr std::size_t kMax = 128;

  [[nodiscard]] std::size_t size() const { return size_; }
  void answered() { size_ = std::min(size_ + 1, kMax); }
  void lost() { size_ = std::max(size_ / 2, kMin); }

 private:
  std::size_t size_ = kFirst;
};

/// A batch of requests to one service that is under way: decides when to send which packet, and
/// what an answer means.
///
/// Each request (for an update: each request and server) is a line with its own tag and a list of
/// endpoints to try. A line sends its packet, repeats it byte for byte after `timeout`,
/// `retransmits` times, and then hops to the next endpoint. An answer from any of them ends the
/// line. An update hops only if the system reports the endpoint as unreachable, because a silent
/// server may have counted the update.
///
/// Only a window of lines (SendWindow) is under way, in the order of the requests; the others begin
/// as answers come. When an endpoint turns out to be dead, lines that have not begun use other
/// endpoints; if there is none, they end with the same outcome. An unknown address gets version
/// 0x14 first and, if it does not answer soon, version 4; a known one gets its version at once.
/// With `RemoteOptions::protocol` all addresses get this one version.
///
/// No I/O, no clock.
/// Threads: one thread; the Service is shared.
class Exchange {
 public:
  enum class Audience : std::uint8_t {
    kAsNeeded,  ///< one server for a question, all of them for an update
    kEveryone,  ///< all servers, one answer each
  };
  enum class Protocol : std::uint8_t { kUdp, kTcp };
  Exchange(Service& service, std::span<const RemoteRequest> requests, Audience audience,
           TimePoint now);
  /// For probes: request number i goes to endpoint endpoints[i] of `upstreams` and to no other.
  Exchange(Service& service, std::shared_ptr<Upstreams> upstreams,
           std::span<const RemoteRequest> requests, std::span<const std::size_t> endpoints,
           TimePoint now);

  /// The servers at the beginning of the exchange. Endpoint numbers below refer to these.
  [[nodiscard]] const Upstreams& upstreams() const { return *upstreams_; }
  /// The number of questions to all servers together.
  [[nodiscard]] std::size_t questions() const { return lines_.size(); }

  struct Outgoing {
    std::size_t endpoint = 0;
    BytesView packet;     ///< valid until the next call
    bool repeat = false;  ///< this endpoint already had a packet of this question
    bool update = false;  ///< the request is an update
  };
  /// Returns a packet to send now; call it again until it returns nullopt.
  std::optional<Outgoing> next_packet(TimePoint now);
  /// When `next_packet` will have a packet again; TimePoint::max() if there is nothing to wait for.
  [[nodiscard]] TimePoint due() const;
  /// Whether every line has its answer.
  [[nodiscard]] bool done() const { return open_ == 0; }

  /// Takes a packet that came from an endpoint. Returns false if it answers none of our questions.
  /// Such a packet is ignored, and so is a second answer.
  bool receive(std::size_t endpoint, BytesView packet, TimePoint now,
               Protocol transport = Protocol::kUdp);
  /// The last packet of `next_packet` was sent over TCP. TCP repeats lost data itself, so the line
  /// waits for the full timeout.
  void streamed(TimePoint now);
  /// Packets to an endpoint may be lost: each open line sends its packet again at once.
  void resend(std::size_t endpoint, TimePoint now);
  /// The system reports that the endpoint cannot be reached.
  void unreachable(std::size_t endpoint, std::string_view why, TimePoint now);
  /// The deadline has passed: all lines without an answer time out.
  void give_up(TimePoint now);

  /// Returns one answer per request (the worst of several servers), or with kEveryone one per
  /// request and server.
  [[nodiscard]] std::vector<RemoteAnswer> answers() const;

  /// How long an unknown server may take to answer version 0x14 before it is also asked with 4.
  static constexpr Duration kFallBackMax = std::chrono::milliseconds(250);

 private:
  struct Line {
    std::size_t request = 0;
    std::vector<std::size_t> endpoints;  // in the order to try them
    std::size_t at = 0;
    std::uint32_t tag = 0;
    std::uint8_t version = protocol::kVersionLong;
    std::uint32_t sent = 0;     // transmissions to this endpoint in this version
    std::uint32_t packets = 0;  // transmissions to this endpoint in any version
    TimePoint next{};
    TimePoint started{};
    TimePoint first_sent{};  // the first transmission to this endpoint
    Bytes packet;
    bool flying = false;  // its last packet may still be answered in time
    bool done = false;
    RemoteAnswer answer;

    [[nodiscard]] std::size_t endpoint() const { return endpoints[at]; }
  };

  /// What this exchange knows about an endpoint.
  struct Condition {
    bool failed = false;             // reported once per exchange, not once per line
    std::optional<TimePoint> heard;  // time of the last answer
    // Set if the endpoint is unreachable, or if a line had all its transmissions and no line had an
    // answer during that time.
    std::optional<RemoteAnswer::Outcome> dead;
    std::string why;  // the reason for `dead`
  };

  void open_line(std::size_t request, std::vector<std::size_t> endpoints, TimePoint now);
  bool begin_lines(TimePoint now);
  void begin(std::size_t number, TimePoint now);
  void mark_silent(const Line& line, TimePoint now);
  void land(Line& line);
  void approach(Line& line, TimePoint now);
  void encode(Line& line);
  bool transmit(Line& line, TimePoint now);
  void hop(Line& line, TimePoint now, RemoteAnswer::Outcome otherwise);
  void close(Line& line, TimePoint now);
  void learn_wire_version(const Line& line, std::size_t reply_bytes, TimePoint now);
  [[nodiscard]] std::uint64_t rotation_key(const RemoteRequest& request) const;
  void report_failure(std::size_t endpoint, TimePoint now);
  [[nodiscard]] std::optional<protocol::Reply> read_reply(BytesView packet) const;
  [[nodiscard]] bool is_update(const Line& line) const;

  Service& service_;
  std::shared_ptr<Upstreams> upstreams_;
  std::span<const RemoteRequest> requests_;
  Audience audience_;
  std::vector<Line> lines_;
  std::size_t open_ = 0;                // number of lines without an answer
  std::size_t next_ = 0;                // the first line that has not begun
  std::vector<std::size_t> under_way_;  // lines that have begun and are open
  std::size_t flying_ = 0;              // number of lines with `flying`
  std::unordered_map<std::uint32_t, std::size_t> by_tag_;
  std::size_t last_ = 0;               // the line of the last packet of `next_packet`
  std::vector<Condition> conditions_;  // by endpoint
  SendWindow window_;
};

/// The command of the wire protocol for a request.
protocol::Command command_of(const RemoteRequest& request, std::uint8_t version, std::uint32_t tag);
/// Returns the meaning of a reply to a request of `kind`; server, time and error are left empty.
RemoteAnswer interpret(const protocol::Reply& reply, RemoteRequest::Kind kind);

}  // namespace shingled::storage::client
