#include "tests/milter/daemon/milter_client.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "config/system/unix_address.h"

namespace shingled::milter::daemon {

namespace {

constexpr std::uint32_t kVersion = 6;
constexpr std::uint32_t kAllActions = 0x1ff;
constexpr std::uint32_t kAllSteps = 0x1fffff;
constexpr std::uint32_t kNoRecipients = 0x8;
constexpr std::uint32_t kNoReplyToRecipients = 0x8000;
constexpr std::size_t kBodyChunkBytes = 65535;
constexpr time_t kPatienceSeconds = 30;

std::string big_endian(std::uint32_t number) {
  const std::uint32_t wire = htonl(number);
  return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

std::string terminated(const std::string& text) { return text + '\0'; }

}  // namespace

MilterClient::MilterClient(const std::string& socket_path, std::string_view client)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const auto address = unix_address(socket_path);
  if (!address || ::connect(fd_.get(), address->get(), address->length()) != 0) return;
  const timeval patience{kPatienceSeconds, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  send('O', big_endian(kVersion) + big_endian(kAllActions) + big_endian(kAllSteps));
  MilterPacket packet;
  ok_ = receive(packet) && packet.command == 'O';
  if (ok_ && packet.data.size() >= 3 * sizeof steps_) {
    std::memcpy(&steps_, packet.data.data() + 2 * sizeof steps_, sizeof steps_);
    steps_ = ntohl(steps_);
  }
  const bool has_address = client.find_first_not_of("0123456789.") == std::string_view::npos;
  if (has_address) {
    send('C', terminated("mail.example.org") + "4\x12\x34" + terminated(std::string(client)));
  } else {
    send('C', terminated(std::string(client)) + "U");
  }
}

bool MilterClient::begin(const std::string& queue_id) {
  send('D', "M" + terminated("i") + terminated(queue_id));
  return mail() == 'c' && recipient();
}

bool MilterClient::recipient() {
  if ((steps_ & kNoRecipients) != 0) return true;
  send('R', terminated("<recipient@example.org>"));
  if ((steps_ & kNoReplyToRecipients) != 0) return true;
  MilterPacket packet;
  return receive(packet) && packet.command == 'c';
}

char MilterClient::mail() {
  send('M', terminated("<sender@example.org>"));
  MilterPacket packet;
  return receive(packet) ? packet.command : '\0';
}

void MilterClient::header(const std::string& name, const std::string& value) {
  send('L', terminated(name) + terminated(value));
}

void MilterClient::end_headers() { send('N', ""); }

void MilterClient::body(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kBodyChunkBytes) {
    send('B', bytes.substr(at, kBodyChunkBytes));
  }
}

void MilterClient::ask_for_the_end() { send('E', ""); }

bool MilterClient::await_packet(char command) {
  MilterPacket packet;
  while (receive(packet)) {
    if (packet.command == command) return true;
  }
  return false;
}

std::vector<MilterPacket> MilterClient::end_of_message() {
  ask_for_the_end();
  std::vector<MilterPacket> packets;
  for (MilterPacket packet; receive(packet);) {
    packets.push_back(packet);
    if (std::strchr("acrtdy", packet.command) != nullptr) return packets;
  }
  return {};
}

std::vector<MilterPacket> MilterClient::send_mail(
    const std::string& queue_id, const std::vector<std::pair<std::string, std::string>>& headers,
    const std::string& body_bytes) {
  if (!begin(queue_id)) return {};
  for (const auto& [name, value] : headers) header(name, value);
  end_headers();
  body(body_bytes);
  return end_of_message();
}

void MilterClient::send(char command, const std::string& data) {
  const std::string packet =
      big_endian(static_cast<std::uint32_t>(data.size() + 1)) + command + data;
  for (std::size_t done = 0; done < packet.size();) {
    const ssize_t sent =
        ::send(fd_.get(), packet.data() + done, packet.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return;  // the next receive reports it
    done += static_cast<std::size_t>(sent);
  }
}

bool MilterClient::receive(MilterPacket& packet) {
  std::uint32_t length = 0;
  if (!read_exactly(reinterpret_cast<char*>(&length), sizeof length)) return false;
  std::string bytes(ntohl(length), '\0');
  if (bytes.empty() || !read_exactly(bytes.data(), bytes.size())) return false;
  packet = {bytes[0], bytes.substr(1)};
  return true;
}

bool MilterClient::read_exactly(char* to, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::recv(fd_.get(), to, count, 0);
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace shingled::milter::daemon
