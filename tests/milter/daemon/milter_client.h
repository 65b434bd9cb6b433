#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/system/unique_fd.h"

namespace shingled::milter::daemon {

/// One packet of the milter protocol.
struct MilterPacket {
  char command = 0;
  std::string data;
};

/// The side of the MTA in the milter protocol, version 6, over a unix socket.
class MilterClient {
 public:
  /// Connects and negotiates; `ok` tells whether it worked. `client`: an IPv4 address, or the name
  /// of a client without an address ("localhost", "unknown").
  explicit MilterClient(const std::string& socket_path, std::string_view client = "192.0.2.1");
  [[nodiscard]] bool ok() const { return ok_; }

  /// Sends MAIL, and a recipient if the filter wants to know of them. False if the filter ended the
  /// message.
  bool begin(const std::string& queue_id);
  /// Returns the answer to MAIL: 'c', 'a', 't', ...; 0 = the connection broke.
  char mail();
  void header(const std::string& name, const std::string& value);
  void end_headers();
  void body(const std::string& bytes);
  /// Returns all packets of the filter up to the final one, which is the last element. Empty if the
  /// connection broke.
  std::vector<MilterPacket> end_of_message();
  /// The same without waiting.
  void ask_for_the_end();
  /// Reads until a packet of this kind comes; false if the connection broke before.
  bool await_packet(char command);
  /// All steps for one message.
  std::vector<MilterPacket> send_mail(
      const std::string& queue_id, const std::vector<std::pair<std::string, std::string>>& headers,
      const std::string& body);

 private:
  bool recipient();
  void send(char command, const std::string& data);
  bool receive(MilterPacket& packet);
  bool read_exactly(char* to, std::size_t count);

  UniqueFd fd_;
  bool ok_ = false;
  std::uint32_t steps_ = 0;  ///< that were negotiated
};

}  // namespace shingled::milter::daemon
