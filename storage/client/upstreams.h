#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/socket_address.h"

namespace shingled::storage {

/// The version byte a server takes for a CHECK. Old servers drop 0x14 silently, and no byte on the
/// wire tells old from slow, so it is tried and remembered per address.
enum class Speech : std::uint8_t {
  kUnknown,  ///< try 0x14, fall back to 4
  kFlags,    ///< 0x14: replies carry all flags
  kPlain,    ///< 4
};

/// The servers of one service: what they are called, who is well, whose turn it is.
///
/// A server is one entry of the configuration; a name with several addresses gives it several
/// endpoints, of which one is enough. An endpoint that failed `errors_max` times in a row rests for
/// `rest`; it is asked in that time only if all others rest too.
/// Threads: any thread. Cost: one mutex, held for a few instructions.
class Upstreams {
 public:
  struct Endpoint {
    SocketAddress address;
    std::string name;        ///< "192.0.2.1:11335"
    std::size_t server = 0;  ///< to which entry of the configuration it belongs
  };

  /// `servers[s]`: the addresses of the s-th entry, at least one each.
  Upstreams(const std::vector<std::vector<SocketAddress>>& servers, std::uint32_t errors_max,
            Duration rest);

  [[nodiscard]] std::size_t servers() const { return servers_; }
  [[nodiscard]] const std::vector<Endpoint>& endpoints() const { return endpoints_; }

  /// All endpoints in the order to try them: the healthy ones first, from the server whose turn it
  /// is. Each call moves the turn on.
  std::vector<std::size_t> in_turn(TimePoint now);
  /// The endpoints of one server, the healthy ones first.
  std::vector<std::size_t> of_server(std::size_t server, TimePoint now);

  void answered(std::size_t endpoint);
  void failed(std::size_t endpoint, TimePoint now);
  Speech speech(std::size_t endpoint);
  void learn(std::size_t endpoint, Speech speech);

 private:
  struct Health {
    std::uint32_t errors = 0;  // in a row
    TimePoint rests_until{};
    Speech speech = Speech::kUnknown;
  };
  struct State {
    std::vector<Health> health;
    std::size_t turn = 0;
  };

  std::vector<Endpoint> endpoints_;  // constant after construction
  std::size_t servers_;
  std::uint32_t errors_max_;
  Duration rest_;
  Guarded<State> state_;
};

}  // namespace shingled::storage
