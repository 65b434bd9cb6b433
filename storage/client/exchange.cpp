#include "storage/client/exchange.h"

#include <algorithm>
#include <utility>

#include "storage/crypto/keypair.h"

namespace shingled::storage::client {

namespace {
using Kind = RemoteRequest::Kind;
using Outcome = RemoteAnswer::Outcome;

constexpr std::size_t kPlainBytesMax =
    protocol::kCommandBytes + protocol::kShingleBytes + protocol::kCompanionBytes;
constexpr std::size_t kPacketBytesMax = crypto::kRequestSealBytes + kPlainBytesMax;
constexpr std::uint32_t kFlagMax = 255;  // the wire has one byte for it

/// Orders the answers of several servers to an update; the highest number is the worst.
int severity(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHit:
    case Outcome::kMiss:
    case Outcome::kDone:
      return 0;
    case Outcome::kRefused:
      return 1;
    case Outcome::kTimeout:
      return 2;
    case Outcome::kUnreachable:
      break;
  }
  return 3;
}

}  // namespace

Exchange::Exchange(Service& service, std::span<const RemoteRequest> requests, Audience audience,
                   TimePoint now)
    : service_(service),
      upstreams_(service.upstreams()),
      requests_(requests),
      audience_(audience),
      conditions_(upstreams_->endpoints().size()) {
  // One turn of the rotation per batch, so that the questions of one message share a socket.
  std::vector<std::size_t> in_turn;
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    if (audience_ == Audience::kAsNeeded && !RemoteRequest::is_update(requests_[r].kind)) {
      if (in_turn.empty() || service_.rotation() == Rotation::kHash)
        in_turn = upstreams_->in_turn(rotation_key(requests_[r]), now);
      open_line(r, in_turn, now);
      continue;
    }
    for (std::size_t s = 0; s < upstreams_->servers(); ++s)
      open_line(r, upstreams_->of_server(s, now), now);
  }
}

Exchange::Exchange(Service& service, std::shared_ptr<Upstreams> upstreams,
                   std::span<const RemoteRequest> requests, std::span<const std::size_t> endpoints,
                   TimePoint now)
    : service_(service),
      upstreams_(std::move(upstreams)),
      requests_(requests),
      audience_(Audience::kEveryone),
      conditions_(upstreams_->endpoints().size()) {
  for (std::size_t r = 0; r < requests_.size(); ++r) open_line(r, {endpoints[r]}, now);
}

std::uint64_t Exchange::rotation_key(const RemoteRequest& request) const {
  switch (service_.rotation()) {
    case Rotation::kHash:
      return ByteReader(request.fingerprint.digest.bytes).u64();
    case Rotation::kRandom:
      return service_.random.next_u64();
    case Rotation::kRoundRobin:
    case Rotation::kSequential:
    case Rotation::kMasterSlave:
      break;
  }
  return 0;
}

void Exchange::open_line(std::size_t request, std::vector<std::size_t> endpoints, TimePoint now) {
  Line line;
  line.request = request;
  line.endpoints = std::move(endpoints);
  line.started = now;
  if (requests_[request].flag > kFlagMax) {
    line.answer.outcome = Outcome::kRefused;
    line.answer.error = "the flag is above 255, which the protocol cannot carry";
    line.done = true;
  } else if (line.endpoints.empty()) {
    line.answer.outcome = Outcome::kUnreachable;
    line.answer.error = "the server's name was not found";
    line.done = true;
  } else {
    ++open_;
  }
  lines_.push_back(std::move(line));
}

/// Begins as many lines as the window has room for. Returns false if no line was left or no room.
bool Exchange::begin_lines(TimePoint now) {
  const std::size_t before = next_;
  for (; next_ < lines_.size() && under_way_.size() < window_.size(); ++next_) {
    if (!lines_[next_].done) begin(next_, now);
  }
  return next_ != before;
}

void Exchange::begin(std::size_t number, TimePoint now) {
  Line& line = lines_[number];
  line.started = now;
  const auto is_alive = [&](std::size_t endpoint) { return !conditions_[endpoint].dead; };
  std::stable_partition(line.endpoints.begin(), line.endpoints.end(), is_alive);
  if (!is_alive(line.endpoint())) {
    const Condition& condition = conditions_[line.endpoint()];
    line.answer.outcome = *condition.dead;
    line.answer.error = condition.why;
    return close(line, now);
  }
  do {
    line.tag = service_.random.next_u32();
  } while (!by_tag_.emplace(line.tag, number).second);
  under_way_.push_back(number);
  approach(line, now);
}

/// Prepares the line for its current endpoint.
void Exchange::approach(Line& line, TimePoint now) {
  // Only a CHECK needs the longer reply.
  const bool wants_flags = requests_[line.request].kind == Kind::kCheck &&
                           upstreams_->wire_version(line.endpoint(), now) != WireVersion::kPlain;
  line.version = wants_flags ? protocol::kVersionLongV2 : protocol::kVersionLong;
  if (service_.options.protocol != 0) line.version = service_.options.protocol;
  line.sent = 0;
  line.packets = 0;
  line.next = now;
  land(line);
  encode(line);
}

void Exchange::encode(Line& line) {
  std::array<std::uint8_t, kPlainBytesMax> plain{};
  const RemoteRequest& request = requests_[line.request];
  protocol::Command asked = command_of(request, line.version, line.tag);
  std::array<std::uint8_t, protocol::kCompanionBytes> extension{};
  if (request.companion && asked.code == protocol::CommandCode::kWrite &&
      protocol::has_extensions(line.version)) {
    using protocol::ExtensionType;
    extension = protocol::companion_extension(*request.companion, request.old_companion
                                                                      ? ExtensionType::kOldCompanion
                                                                      : ExtensionType::kCompanion);
    asked.extensions = extension;
  }
  const BytesView command = BytesView(plain).first(protocol::encode_command(asked, plain));
  line.packet.assign(command.begin(), command.end());
  if (!service_.sealing) return;
  const Sealing& sealing = *service_.sealing;
  crypto::Nonce nonce{};
  service_.random.fill(nonce);
  line.packet.resize(kPacketBytesMax);
  line.packet.resize(
      crypto::seal_request(sealing.server, sealing.own, sealing.key, nonce, command, line.packet));
}

std::optional<Exchange::Outgoing> Exchange::next_packet(TimePoint now) {
  do {
    for (std::size_t i = 0; i < under_way_.size();) {
      const std::size_t number = under_way_[i];
      Line& line = lines_[number];
      if (now >= line.next) land(line);
      if (line.flying) {
        ++i;
        continue;
      }
      const std::optional<Outcome> dead = conditions_[line.endpoint()].dead;
      if (!dead && flying_ >= window_.size()) {
        ++i;
        continue;
      }
      if (dead || !transmit(line, now)) {
        if (!dead) mark_silent(line, now);
        hop(line, now, dead.value_or(Outcome::kTimeout));
        continue;  // the line has another endpoint now, or it ended and i is another line
      }
      line.flying = true;
      ++flying_;
      const bool repeat = line.packets++ > 0;
      if (!repeat) line.first_sent = now;
      upstreams_->sent(line.endpoint(), repeat);
      last_ = number;
      return Outgoing{line.endpoint(), line.packet, repeat, is_update(line)};
    }
  } while (begin_lines(now));
  return std::nullopt;
}

/// Prepares the next transmission. Returns false if this endpoint had all its transmissions.
bool Exchange::transmit(Line& line, TimePoint now) {
  const Duration timeout = service_.options.timeout;
  const bool may_fall_back = line.version == protocol::kVersionLongV2 &&
                             service_.options.protocol == 0 &&
                             upstreams_->wire_version(line.endpoint(), now) != WireVersion::kFlags;
  if (may_fall_back && line.sent > 0) {
    line.version = protocol::kVersionLong;
    line.sent = 0;
    encode(line);
  }
  if (line.sent > service_.options.retransmits) return false;
  if (line.sent > 0) window_.lost();
  ++line.sent;
  const bool soon = may_fall_back && line.version == protocol::kVersionLongV2;
  line.next = now + (soon ? std::min(timeout / 4, kFallBackMax) : timeout);
  return true;
}

void Exchange::land(Line& line) {
  if (line.flying) --flying_;
  line.flying = false;
}

/// The endpoint of the line had all its transmissions. It is dead unless another line had an answer
/// in the meantime: then only packets were lost.
void Exchange::mark_silent(const Line& line, TimePoint now) {
  Condition& condition = conditions_[line.endpoint()];
  const bool heard = condition.heard && *condition.heard >= line.first_sent;
  if (!heard) condition.dead = Outcome::kTimeout;
  window_.lost();
  report_failure(line.endpoint(), now);
}

void Exchange::hop(Line& line, TimePoint now, Outcome otherwise) {
  if (otherwise == Outcome::kUnreachable) {
    upstreams_->unreachable(line.endpoint());
  } else {
    upstreams_->timed_out(line.endpoint());
  }
  const bool may_hop = otherwise == Outcome::kUnreachable || !is_update(line);
  if (may_hop && line.at + 1 < line.endpoints.size()) {
    ++line.at;
    approach(line, now);
    return;
  }
  line.answer.outcome = otherwise;
  close(line, now);
}

void Exchange::close(Line& line, TimePoint now) {
  line.done = true;
  --open_;
  land(line);
  std::erase(under_way_, static_cast<std::size_t>(&line - lines_.data()));
  line.answer.server = upstreams_->endpoints()[line.endpoint()].name;
  line.answer.time = std::chrono::duration_cast<std::chrono::microseconds>(now - line.started);
}

TimePoint Exchange::due() const {
  TimePoint due = TimePoint::max();
  if (next_ < lines_.size() && under_way_.size() < window_.size()) return TimePoint{};
  const bool has_room = flying_ < window_.size();
  for (const std::size_t number : under_way_) {
    const Line& line = lines_[number];
    if (has_room || line.flying) due = std::min(due, line.next);
  }
  return due;
}

std::optional<protocol::Reply> Exchange::read_reply(BytesView packet) const {
  std::array<std::uint8_t, protocol::kReplyBytesMax> plain{};
  if (service_.sealing) {
    const auto length = crypto::open(service_.sealing->key, packet, plain);
    if (!length) return std::nullopt;
    packet = BytesView(plain).first(*length);
  }
  const bool may_be_short = service_.options.protocol == protocol::kVersionShort;
  if (packet.size() == protocol::size_of(protocol::ReplyForm::kShort) && !may_be_short)
    return std::nullopt;
  return protocol::decode_reply(packet);
}

bool Exchange::receive(std::size_t endpoint, BytesView packet, TimePoint now, Protocol transport) {
  const auto reply = read_reply(packet);
  const auto number = reply ? by_tag_.find(reply->tag) : by_tag_.end();
  if (number == by_tag_.end()) {
    upstreams_->stray(endpoint);
    return false;
  }
  Line* const line = &lines_[number->second];
  const auto tried = line->endpoints.begin() + static_cast<std::ptrdiff_t>(line->at) + 1;
  const auto asked = std::find(line->endpoints.begin(), tried, endpoint);
  if (asked == tried) {  // this endpoint was not asked yet, so the tag was guessed
    upstreams_->stray(endpoint);
    return false;
  }
  if (line->done) {
    // Perhaps the late answer to 0x14 from a server that was asked with 4 in the meantime.
    if (endpoint == line->endpoint()) learn_wire_version(*line, packet.size(), now);
    upstreams_->stray(endpoint);
    return true;
  }
  conditions_[endpoint].heard = now;
  conditions_[endpoint].dead.reset();
  window_.answered();
  const bool is_current = endpoint == line->endpoint();
  const TimePoint since = is_current ? line->first_sent : line->started;
  upstreams_->answered(endpoint,
                       std::chrono::duration_cast<std::chrono::microseconds>(now - since));
  if (transport == Protocol::kTcp) upstreams_->streamed(endpoint);
  if (is_current) learn_wire_version(*line, packet.size(), now);
  RemoteAnswer answer = interpret(*reply, requests_[line->request].kind);
  if (answer.status == protocol::kStatusStoreAway && line->at + 1 < line->endpoints.size()) {
    if (is_current) {  // another server may have its own storage
      ++line->at;
      approach(*line, now);
    }
    return true;
  }
  line->at = static_cast<std::size_t>(asked - line->endpoints.begin());
  line->answer = std::move(answer);
  close(*line, now);
  return true;
}

void Exchange::learn_wire_version(const Line& line, std::size_t reply_bytes, TimePoint now) {
  if (requests_[line.request].kind != Kind::kCheck || service_.options.protocol != 0) return;
  const std::size_t plain_bytes = reply_bytes - (service_.sealing ? crypto::kSealBytes : 0);
  // A shorter reply to 0x14 comes from a server that understood it but does not trust our address.
  const bool understood = line.version == protocol::kVersionLongV2;
  const bool has_flags = plain_bytes == protocol::size_of(protocol::ReplyForm::kV2);
  if (line.done && !has_flags) return;
  upstreams_->learn(line.endpoint(),
                    understood || has_flags ? WireVersion::kFlags : WireVersion::kPlain, now);
}

void Exchange::streamed(TimePoint now) { lines_[last_].next = now + service_.options.timeout; }

void Exchange::resend(std::size_t endpoint, TimePoint now) {
  for (const std::size_t number : under_way_) {
    Line& line = lines_[number];
    if (line.endpoint() != endpoint || line.packets == 0) continue;
    land(line);
    line.sent = 0;
    line.next = now;
  }
}

void Exchange::unreachable(std::size_t endpoint, std::string_view why, TimePoint now) {
  report_failure(endpoint, now);
  conditions_[endpoint].dead = Outcome::kUnreachable;
  conditions_[endpoint].why = why;
  for (const std::size_t number : std::vector(under_way_)) {
    Line& line = lines_[number];
    if (line.endpoint() != endpoint) continue;
    line.answer.error = why;
    hop(line, now, Outcome::kUnreachable);
  }
}

void Exchange::give_up(TimePoint now) {
  for (Line& line : lines_) {
    if (line.done) continue;
    if (line.packets > 0) {
      upstreams_->timed_out(line.endpoint());
      report_failure(line.endpoint(), now);
    }
    line.answer.outcome = Outcome::kTimeout;
    close(line, now);
  }
}

void Exchange::report_failure(std::size_t endpoint, TimePoint now) {
  if (conditions_[endpoint].failed) return;
  conditions_[endpoint].failed = true;
  upstreams_->failed(endpoint, now);
}

bool Exchange::is_update(const Line& line) const {
  return RemoteRequest::is_update(requests_[line.request].kind);
}

std::vector<RemoteAnswer> Exchange::answers() const {
  std::vector<RemoteAnswer> out;
  if (audience_ == Audience::kEveryone) {
    for (const Line& line : lines_) out.push_back(line.answer);
    return out;
  }
  out.resize(requests_.size());
  std::vector<bool> has_answer(requests_.size(), false);
  for (const Line& line : lines_) {
    RemoteAnswer& answer = out[line.request];
    if (!has_answer[line.request] || severity(line.answer.outcome) > severity(answer.outcome))
      answer = line.answer;
    has_answer[line.request] = true;
  }
  return out;
}

}  // namespace shingled::storage::client
