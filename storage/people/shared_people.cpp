#include "storage/people/shared_people.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "config/base/hex.h"
#include "config/metrics/metric_report.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::people {

namespace {

using redis::CommandList;
using redis::RedisReply;

constexpr std::size_t kVoiceBytes = 14;
constexpr std::size_t kSignBytes = 8;

// Numbers are written with the lowest byte first.
void put_number(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}

std::uint64_t take_number(std::string_view& text, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    number |= std::uint64_t{static_cast<std::uint8_t>(text[i])} << (8 * i);
  text.remove_prefix(bytes);
  return number;
}

/// 16 hexadecimal digits.
void append_digits(std::uint64_t number, std::string& out) {
  for (unsigned byte = 8; byte-- > 0;)
    append_hex(out, static_cast<std::uint8_t>(number >> (8 * byte)));
}

std::string encode(const Voice& voice) {
  std::string out;
  put_number(voice.person, 8, out);
  put_number(voice.time, 4, out);
  put_number(static_cast<std::uint64_t>(voice.kind), 1, out);
  put_number(static_cast<std::uint64_t>(voice.standing), 1, out);
  return out;
}

/// nullopt: not a voice of ours.
std::optional<Voice> decode(std::string_view text) {
  if (text.size() != kVoiceBytes) return std::nullopt;
  Voice out;
  out.person = take_number(text, 8);
  out.time = static_cast<std::uint32_t>(take_number(text, 4));
  const std::uint64_t kind = take_number(text, 1);
  const std::uint64_t standing = take_number(text, 1);
  if (kind > static_cast<std::uint64_t>(ReportKind::kSpam) ||
      standing > static_cast<std::uint64_t>(Standing::kTrusted))
    return std::nullopt;
  out.kind = static_cast<ReportKind>(kind);
  out.standing = static_cast<Standing>(standing);
  return out;
}

std::string encode(const std::vector<std::uint64_t>& signs) {
  std::string out;
  for (const std::uint64_t sign : signs) put_number(sign, kSignBytes, out);
  return out;
}

}  // namespace

SharedPeople::SharedPeople(Options options, Clock& clock)
    : options_(std::move(options)), clock_(clock) {
  route_ = redis::open_route(options_.redis, options_.redis.write_servers,
                             redis::RedisServers::Turn::kInOrder, clock_, redis::silent_logger())
               .route;
}

std::string SharedPeople::sign_key(std::uint64_t sign) const {
  std::string out = options_.redis.prefix + ":said:";
  append_digits(sign, out);
  return out;
}

std::string SharedPeople::word_key(std::uint64_t message, std::uint64_t person) const {
  std::string out = options_.redis.prefix + ":word:";
  append_digits(message, out);
  append_digits(person, out);
  return out;
}

Result<std::vector<RedisReply>> SharedPeople::run(const CommandList& commands, TimePoint deadline) {
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  auto replies = route_->ask(commands, std::min(deadline, clock_.now() + options_.redis.timeout));
  Status done;
  if (!replies) {
    done = replies.error();
  } else if (replies->size() != commands.size()) {
    done = Error{ErrorCode::kUnavailable, "Redis answered less than it was asked"};
  } else {
    const auto error =
        std::ranges::find_if(*replies, [](const auto& one) { return one.is_error(); });
    if (error != replies->end()) done = Error{ErrorCode::kUnavailable, error->text};
  }
  if (done) return replies;
  errors_.fetch_add(1, std::memory_order_relaxed);
  return done.error();
}

Result<SharedPeople::Signs> SharedPeople::signs_before(const std::string& word,
                                                       TimePoint deadline) {
  CommandList commands;
  commands.add({"GET", word}, redis::key_slot(word));
  const auto replies = run(commands, deadline);
  if (!replies) return replies.error();
  Signs out;
  std::string_view rest = replies->front().text;
  while (rest.size() >= kSignBytes && out.size() < 2 * kSignsMax)
    out.push_back(take_number(rest, kSignBytes));
  return out;
}

Status SharedPeople::say(const Statement& statement, TimePoint deadline) {
  return replace(statement.message, statement.person, &statement, deadline);
}

Status SharedPeople::withdraw(std::uint64_t message, std::uint64_t person, TimePoint deadline) {
  return replace(message, person, nullptr, deadline);
}

/// What a daemon that ends midway leaves is found by the word, which names all signs that may have
/// the voice; so the same report, or one that turns it, puts all right.
Status SharedPeople::replace(std::uint64_t message, std::uint64_t person,
                             const Statement* statement, TimePoint deadline) {
  const std::string word = word_key(message, person);
  const std::uint16_t word_slot = redis::key_slot(word);
  const std::string keep = std::to_string(options_.keep.count());
  auto before = signs_before(word, deadline);
  if (!before) return before.error();
  Signs wanted;
  if (statement != nullptr) wanted = statement->signs;
  if (wanted.size() > kSignsMax) wanted.resize(kSignsMax);
  if (wanted.empty() && before->empty()) return {};
  std::ranges::sort(wanted);
  std::ranges::sort(*before);
  Signs all;
  std::ranges::set_union(wanted, *before, std::back_inserter(all));

  CommandList announced;
  announced.add({"SET", word, encode(all), "EX", keep}, word_slot);
  for (const std::uint64_t sign : wanted) {
    const std::string key = sign_key(sign);
    announced.add({"HLEN", key}, redis::key_slot(key));
  }
  const auto sizes = run(announced, deadline);
  if (!sizes) return sizes.error();

  std::string name;
  put_number(message, 8, name);
  put_number(person, 8, name);
  CommandList commands;
  const auto is_wanted = [&](std::uint64_t sign) {
    return std::ranges::binary_search(wanted, sign);
  };
  for (const std::uint64_t sign : *before) {
    const std::string key = sign_key(sign);
    if (!is_wanted(sign)) commands.add({"HDEL", key, name}, redis::key_slot(key));
  }
  const bool newcomer = statement != nullptr && statement->standing == Standing::kNewcomer;
  const std::size_t most = newcomer ? kNewcomerVoicesMax : kVoicesMax;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string key = sign_key(wanted[i]);
    const std::uint16_t slot = redis::key_slot(key);
    const bool full = (*sizes)[i + 1].integer >= static_cast<std::int64_t>(most);
    if (full && !std::ranges::binary_search(*before, wanted[i])) continue;
    commands.add({"HSET", key, name,
                  encode(Voice{person, statement->time, statement->kind, statement->standing})},
                 slot);
    commands.add({"EXPIRE", key, keep}, slot);
  }
  if (!commands.empty()) {
    if (const auto done = run(commands, deadline); !done) return done.error();
  }
  if (all == wanted) return {};
  CommandList last;
  if (statement == nullptr) {
    last.add({"DEL", word}, word_slot);
  } else {
    last.add({"SET", word, encode(wanted), "EX", keep}, word_slot);
  }
  const auto done = run(last, deadline);
  return done ? Status() : done.error();
}

Result<std::vector<Voices>> SharedPeople::ask(std::span<const std::uint64_t> signs,
                                              TimePoint deadline) {
  std::vector<Voices> out(signs.size());
  if (signs.empty()) return out;
  CommandList commands;
  for (const std::uint64_t sign : signs) {
    const std::string key = sign_key(sign);
    commands.add({"HVALS", key}, redis::key_slot(key));
  }
  const auto replies = run(commands, deadline);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < signs.size(); ++i) {
    for (const RedisReply& element : (*replies)[i].elements)
      if (const auto voice = decode(element.text)) out[i].push_back(*voice);
    std::ranges::sort(out[i], std::ranges::greater(), &Voice::time);
  }
  return out;
}

void SharedPeople::report(MetricReport& report) const {
  report.counter({"shingled_people_exchanges", "Exchanges with Redis about what people said."},
                 exchanges_.load());
  report.counter({"shingled_people_exchange_errors", "Exchanges with Redis that failed."},
                 errors_.load());
}

}  // namespace shingled::storage::people
