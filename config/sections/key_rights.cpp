#include <algorithm>
#include <cctype>
#include <ctime>

#include "config/sections/sections.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr double kRateMax = 1e6;
constexpr double kBurstMax = 1e9;
constexpr std::string_view kRateForm =
    "\"5 / 1m\", [burst, rate a second] or {rate: a second, burst: at once}";

void check_rate(const Field& field, const RateOptions& rate, std::optional<RateOptions>& out) {
  if (rate.rate <= 0 || rate.rate > kRateMax) {
    field.problem("the rate is out of range", "more than 0, at most 1000000 a second");
  } else if (rate.burst < 1 || rate.burst > kBurstMax) {
    field.problem("the burst is out of range", "1 to 1e9");
  } else {
    out = rate;
  }
}

void load_rate(const Field& field, std::optional<RateOptions>& out) {
  RateOptions rate;
  switch (field.node().kind) {
    case YamlNode::Kind::kScalar: {
      const auto per = parse_rate(field.node().text);
      if (!per) return field.refuse("not a rate", kRateForm);
      rate.burst = per->amount;
      rate.rate = per->amount / std::chrono::duration<double>(per->time).count();
      break;
    }
    case YamlNode::Kind::kList: {
      const auto items = field.list();
      const auto number = [&](std::size_t i) {
        return items[i].node().kind == YamlNode::Kind::kScalar ? parse_real(items[i].node().text)
                                                               : std::nullopt;
      };
      const auto burst = items.size() == 2 ? number(0) : std::nullopt;
      const auto second = items.size() == 2 ? number(1) : std::nullopt;
      if (!burst || !second) return field.problem("is not a pair of numbers", kRateForm);
      rate = {*second, *burst};
      break;
    }
    case YamlNode::Kind::kMap: {
      Section section(&field.node(), field.key(), field.diagnostics());
      section.hide_secrets();
      section.real("rate", rate.rate, {0, kRateMax});
      section.real("burst", rate.burst, {0, kBurstMax});
      break;
    }
    case YamlNode::Kind::kNull:
      return field.problem("has no value", kRateForm);
  }
  check_rate(field, rate, out);
}

/// The first instant of a day in local time; nullopt for other text.
std::optional<WallTime> parse_day(std::string_view text) {
  constexpr std::string_view kPattern = "dd-dd-dddd";
  const bool shaped = text.size() == kPattern.size() &&
                      std::equal(text.begin(), text.end(), kPattern.begin(), [](char c, char p) {
                        return p == 'd' ? ascii::is_digit(c) : c == p;
                      });
  if (!shaped) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    return parse_whole<int>(text.substr(at, digits)).value_or(0);
  };
  std::tm local{};
  local.tm_mday = number(0, 2);
  local.tm_mon = number(3, 2) - 1;
  local.tm_year = number(6, 4) - 1900;
  local.tm_isdst = -1;  // whatever holds on that day
  const std::tm wanted = local;
  const std::time_t time = std::mktime(&local);
  // mktime(3) turns 31 June into 1 July.
  const bool exists = local.tm_mday == wanted.tm_mday && local.tm_mon == wanted.tm_mon &&
                      local.tm_year == wanted.tm_year && time > 0;
  return exists ? std::optional(WallTime(std::chrono::seconds(time))) : std::nullopt;
}

void load_expire(const Field& field, std::optional<WallTime>& out) {
  constexpr std::string_view kAllowed = "a day such as 31-12-2030, from 1970 on";
  const auto text = field.scalar(kAllowed);
  if (!text) return;
  const auto day = parse_day(*text);
  if (!day) return field.refuse("not a day", kAllowed);
  out = day;
}

void load_operations(const Field& field, KeyRights& out) {
  constexpr std::string_view kAllowed = "read, write, delete";
  out.may_read = out.may_write = out.may_delete = false;
  for (const auto& [item, word] : field.words(kAllowed)) {
    if (word == "read") {
      out.may_read = true;
    } else if (word == "write") {
      out.may_write = true;
    } else if (word == "delete") {
      out.may_delete = true;
    } else {
      item.refuse(word, "not an operation", kAllowed);
    }
  }
}

}  // namespace

void load_flags(const Field& field, std::vector<std::uint8_t>& out) {
  constexpr std::string_view kAllowed = "numbers from 0 to 255";
  out.clear();
  for (const auto& [item, word] : field.words(kAllowed)) {
    if (const auto flag = parse_whole<std::uint8_t>(word)) {
      out.push_back(*flag);
    } else {
      item.refuse(word, "not a flag", kAllowed);
    }
  }
}

void load_key_rights(Section&& section, KeyRights& out) {
  section.hide_secrets();
  section.text("name", out.name);
  bool read_only = true;
  section.boolean("read_only", read_only);
  out.may_write = out.may_delete = !read_only;
  if (const auto field = section.field("allowed_ops")) load_operations(*field, out);
  if (const auto field = section.field("forbidden_ids")) {
    out.forbidden_ids.emplace();
    load_flags(*field, *out.forbidden_ids);
  }
  if (const auto field = section.field("ratelimit")) load_rate(*field, out.ratelimit);
  if (const auto field = section.field("expire")) load_expire(*field, out.expire);
}

}  // namespace shingled::config
