#pragma once

#include <algorithm>
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

/// Our side of an encrypted conversation: one key pair for the life of the process, so that the
/// servers can keep the shared key.
struct Sealing {
  crypto::PublicKey server{};
  crypto::PublicKey own{};
  crypto::SharedKey key;
};

/// What all requests to one list of servers share.
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
  /// The servers at their addresses of now; an exchange keeps those it began with.
  [[nodiscard]] std::shared_ptr<Upstreams> upstreams() { return *upstreams_.lock(); }
  /// The names have other addresses now. What is known about an address that stays is kept.
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

/// How many questions to one service may be under way at once: more after each answer, half after
/// each loss. A value.
///
/// A burst of packets that is longer than the receive buffer at the other end is lost silently, and
/// a repeat comes a second later. Linux gives a UDP socket 208 KB by default, of which a question
/// takes 1.3 KB, so kMax fills it when nobody else asks. Few questions, as nearly all messages
/// have, never wait.
class SendWindow {
 public:
  static constexpr std::size_t kMin = 16;
  static constexpr std::size_t kFirst = 32;  ///< as many as a long message has questions
  static constexpr std::size_t kMax = 128;

  [[nodiscard]] std::size_t size() const { return size_; }
  void answered() { size_ = std::min(size_ + 1, kMax); }
  void lost() { size_ = std::max(size_ / 2, kMin); }

 private:
  std::size_t size_ = kFirst;
};

/// A batch of requests to one service, under way: what to send when, and what an answer means.
///
/// Each request is a line with a tag of its own and a list of endpoints to try. A line transmits,
/// repeats itself byte for byte after `timeout`, `retransmits` times, then hops to the next
/// endpoint; an answer from any of them ends it. Updates hop only away from an endpoint that the
/// system says is not there, for one that is silent may have counted them.
/// Only a window of lines is under way (SendWindow), in the order of the requests; the others begin
/// as answers come. What has not begun when an endpoint proves dead goes to the others, and if
/// there is none it ends like those before it. An address that was never heard of gets version 0x14
/// first and soon after, unanswered, version 4; one that is known gets its own version at once.
/// With `RemoteOptions::protocol` there is one version for all.
///
/// No I/O, no clock.
/// Threads: one thread; the service it works for is shared.
class Exchange {
 public:
  enum class Audience : std::uint8_t {
    kAsNeeded,  ///< one server for a question, all of them for an update
    kEveryone,  ///< all servers, one answer each
  };
  enum class Protocol : std::uint8_t { kUdp, kTcp };
  Exchange(Service& service, std::span<const RemoteRequest> requests, Audience audience,
           TimePoint now);
  /// Probes: each request goes to its own endpoint of `upstreams` and nowhere else.
  Exchange(Service& service, std::shared_ptr<Upstreams> upstreams,
           std::span<const RemoteRequest> requests, std::span<const std::size_t> endpoints,
           TimePoint now);

  /// The servers as they were when the exchange began; endpoints below are numbers of these.
  [[nodiscard]] const Upstreams& upstreams() const { return *upstreams_; }
  /// How many questions it has, of all servers.
  [[nodiscard]] std::size_t questions() const { return lines_.size(); }

  struct Outgoing {
    std::size_t endpoint = 0;
    BytesView packet;     ///< valid until the next call
    bool repeat = false;  ///< this endpoint had a packet of this question before
    bool update = false;  ///< makes a change
  };
  /// A packet to send now; call again until there is none.
  std::optional<Outgoing> next_packet(TimePoint now);
  /// When `next_packet` has something again; the far future if nothing is to be sent any more.
  [[nodiscard]] TimePoint due() const;
  /// Every line has its answer.
  [[nodiscard]] bool done() const { return open_ == 0; }

  /// A packet came in from an endpoint. False for one that answers no question of ours, which is
  /// ignored, as a second answer is.
  bool receive(std::size_t endpoint, BytesView packet, TimePoint now,
               Protocol transport = Protocol::kUdp);
  /// The packet that `next_packet` gave last went over TCP, which does its own repeats: no hurry.
  void streamed(TimePoint now);
  /// What was sent to an endpoint may not arrive: each open line repeats itself at once.
  void resend(std::size_t endpoint, TimePoint now);
  /// The system says there is nobody.
  void unreachable(std::size_t endpoint, std::string_view why, TimePoint now);
  /// The deadline has passed: what is open, or has not begun, has timed out.
  void give_up(TimePoint now);

  /// One answer a request (of several servers the worst), or with kEveryone one a request and
  /// server.
  [[nodiscard]] std::vector<RemoteAnswer> answers() const;

  /// How long an unknown server may think about version 0x14 before it is asked with 4 as well.
  static constexpr Duration kFallBackMax = std::chrono::milliseconds(250);

 private:
  struct Line {
    std::size_t request = 0;
    std::vector<std::size_t> endpoints;  // to try, in this order
    std::size_t at = 0;
    std::uint32_t tag = 0;
    std::uint8_t version = protocol::kVersionLong;
    std::uint32_t sent = 0;     // transmissions to this endpoint in this version
    std::uint32_t packets = 0;  // and in any version
    TimePoint next{};
    TimePoint started{};
    TimePoint first_sent{};  // to this endpoint
    Bytes packet;
    bool flying = false;  // its last packet may still be answered in time
    bool done = false;
    RemoteAnswer answer;

    [[nodiscard]] std::size_t endpoint() const { return endpoints[at]; }
  };

  /// What this exchange saw of an endpoint.
  struct Condition {
    bool failed = false;             // reported: one failure an exchange, not one a line
    std::optional<TimePoint> heard;  // the last answer
    // Nobody is there, or a line had all its transmissions and meanwhile nobody had an answer.
    std::optional<RemoteAnswer::Outcome> dead;
    std::string why;  // of dead
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
  void learn_speech(const Line& line, std::size_t reply_bytes, TimePoint now);
  [[nodiscard]] std::uint64_t rotation_key(const RemoteRequest& request) const;
  void report_failure(std::size_t endpoint, TimePoint now);
  [[nodiscard]] std::optional<protocol::Reply> read_reply(BytesView packet) const;
  [[nodiscard]] bool is_update(const Line& line) const;

  Service& service_;
  std::shared_ptr<Upstreams> upstreams_;
  std::span<const RemoteRequest> requests_;
  Audience audience_;
  std::vector<Line> lines_;
  std::size_t open_ = 0;                // lines without their answer
  std::size_t next_ = 0;                // the first line that has not begun
  std::vector<std::size_t> under_way_;  // lines that have, and are open
  std::size_t flying_ = 0;              // of these, lines whose packet is
  std::unordered_map<std::uint32_t, std::size_t> by_tag_;
  std::size_t last_ = 0;               // the line that `next_packet` gave
  std::vector<Condition> conditions_;  // by endpoint
  SendWindow window_;
};

/// A request as the wire has it.
protocol::Command command_of(const RemoteRequest& request, std::uint8_t version, std::uint32_t tag);
/// What a reply means as an answer to `kind`; server, time and error are left empty.
RemoteAnswer interpret(const protocol::Reply& reply, RemoteRequest::Kind kind);

}  // namespace shingled::storage::client
