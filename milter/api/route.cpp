#include "milter/api/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/number_text.h"
#include "config/words/nearest_word.h"
#include "milter/api/reply.h"
#include "milter/api/route_examples.h"
#include "mime/model/escapes.h"

namespace shingled::milter::api {

namespace {

using Kind = Parameter::Kind;
constexpr unsigned kNotSignedIn = 401;
constexpr unsigned kTooLarge = 413;
constexpr std::string_view kMail = "message/rfc822";
constexpr unsigned kForbidden = 403;
constexpr unsigned kNoRoute = 404;
constexpr unsigned kOtherMethod = 405;
constexpr unsigned kOtherType = 415;
constexpr unsigned kWrongArgument = 400;

/// What stands for "{…}" in the pattern; nullopt if the path is another one. "" without a "{…}".
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
  const std::size_t brace = pattern.find('{');
  if (brace == std::string_view::npos)
    return path == pattern ? std::optional<std::string>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, brace);
  const std::string_view after = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after))
    return std::nullopt;
  return std::string(path.substr(before.size(), path.size() - before.size() - after.size()));
}

std::string_view part_name(std::string_view pattern) {
  const std::size_t brace = pattern.find('{');
  if (brace == std::string_view::npos) return "";
  return pattern.substr(brace + 1, pattern.find('}') - brace - 1);
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

/// What is wrong with the value of an argument; "" if nothing is.
std::string fault_of(const Parameter& parameter, const std::string& value) {
  switch (parameter.kind) {
    case Kind::kText:
      break;
    case Kind::kInteger:
      if (!parse_whole<std::int64_t>(value, parameter.least, parameter.most))
        return fmt::format("must be {} to {}", parameter.least, parameter.most);
      break;
    case Kind::kNumber: {
      const auto number = parse_real(value);
      if (!number || !(*number >= static_cast<double>(parameter.least)) ||
          !(*number <= static_cast<double>(parameter.most)))
        return fmt::format("must be a number from {} to {}", parameter.least, parameter.most);
      break;
    }
    case Kind::kFlag:
      if (value != "yes" && value != "no") return "must be yes or no";
      break;
    case Kind::kWord:
      if (std::ranges::find(parameter.words, value) == parameter.words.end())
        return "must be " + joined(parameter.words);
      break;
  }
  return "";
}

/// The path of today for one of an earlier version.
std::string present_path(const std::string& path) {
  using Renamed = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Renamed, 6> kRenamed = {{{"/report", "/api/1/reports"},
                                                {"/reporters", "/api/1/reporters"},
                                                {"/withdraw", "/api/1/reports/withdraw"},
                                                {"/cases", "/api/1/cases"},
                                                {"/matches", "/api/1/hashes/matches"},
                                                {"/hits", "/api/1/hashes/top"}}};
  if (path.starts_with("/counters/")) return "/api/1" + path;
  const auto* const found = std::ranges::find(kRenamed, path, &Renamed::first);
  return found == kRenamed.end() ? path : std::string(found->second);
}

/// What is wrong with the arguments; "" if nothing is.
std::string fault_of(const Route& route, const http::HttpRequest& request) {
  for (const auto& [name, value] : request.arguments) {
    const auto parameter = std::ranges::find(route.parameters, name, &Parameter::name);
    if (parameter == route.parameters.end()) {
      std::vector<std::string> known;
      for (const Parameter& one : route.parameters) known.emplace_back(one.name);
      const auto meant = config::nearest_word(name, known);
      return fmt::format("unknown argument '{}'{}", shown(name),
                         meant ? fmt::format(", did you mean '{}'?", *meant) : "");
    }
    if (const std::string fault = fault_of(*parameter, value); !fault.empty())
      return fmt::format("{}: {}", name, fault);
  }
  for (const Parameter& parameter : route.parameters) {
    if (parameter.needed && !request.arguments.contains(std::string(parameter.name)))
      return fmt::format("{}: is missing", parameter.name);
  }
  return "";
}

http::HttpReply refuse(const http::HttpRequest& request, http::Right right) {
  const http::Caller& caller = request.caller;
  if (caller.role == http::Role::kOff)
    return problem(kNotSignedIn, caller.why.empty() ? "needs a key" : caller.why);
  if (http::may(caller.role, right)) return problem(kForbidden, caller.why);
  return problem(kForbidden,
                 fmt::format("needs the role '{}'; this is '{}'",
                             http::to_string(http::role_for(right)), http::to_string(caller.role)));
}

Json schema_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::kText:
      break;
    case Kind::kInteger:
      return {{"type", "integer"}, {"minimum", parameter.least}, {"maximum", parameter.most}};
    case Kind::kNumber:
      return {{"type", "number"}, {"minimum", parameter.least}, {"maximum", parameter.most}};
    case Kind::kFlag:
      return {{"enum", {"yes", "no"}}};
    case Kind::kWord: {
      Json words = Json::array();
      for (const std::string_view word : parameter.words) words.push_back(word);
      return {{"enum", std::move(words)}};
    }
  }
  return {{"type", "string"}};
}

Json members_schema(std::string_view members) {
  Json needed = Json::array();
  while (!members.empty()) {
    const std::size_t end = std::min(members.find(' '), members.size());
    needed.push_back(members.substr(0, end));
    members.remove_prefix(std::min(end + 1, members.size()));
  }
  return {{"type", "object"}, {"required", std::move(needed)}};
}

/// "counters.ask" of "/api/1/counters/ask", for the names of generated functions.
std::string operation_name(const Route& route) {
  std::string name(http::to_string(route.method));
  std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  for (const char c : route.path.substr(std::string_view("/api/1").size()))
    name += c == '/' ? '_' : c;
  std::erase_if(name, [](char c) { return c == '{' || c == '}' || c == '.'; });
  return name;
}

/// The value of an argument in the request of an example; nullopt: it is not there.
std::optional<std::string> example_of(std::string_view request, std::string_view name) {
  while (!request.empty()) {
    const std::string_view one = request.substr(0, request.find('&'));
    request.remove_prefix(std::min(one.size() + 1, request.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    if (one.substr(0, equals) == name)
      return mime::percent_decoded(one.substr(std::min(equals + 1, one.size())));
  }
  return std::nullopt;
}

void put_example(std::string_view request, std::string_view name, Kind kind, Json& parameter) {
  const auto example = example_of(request, name);
  if (!example) return;
  parameter["example"] = *example;
  if (kind == Kind::kInteger)
    parameter["example"] = parse_whole<std::int64_t>(*example).value_or(0);
  if (kind == Kind::kNumber) parameter["example"] = parse_real(*example).value_or(0);
}

Json parameters_of(const Route& route, std::string_view request) {
  Json out = Json::array();
  if (const std::string_view part = part_name(route.path); !part.empty()) {
    out.push_back(
        {{"name", part}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
    put_example(request, part, Kind::kText, out.back());
  }
  for (const Parameter& parameter : route.parameters) {
    out.push_back({{"name", parameter.name},
                   {"in", "query"},
                   {"required", parameter.needed},
                   {"description", parameter.help},
                   {"schema", schema_of(parameter)}});
    put_example(request, parameter.name, parameter.kind, out.back());
  }
  return out;
}

Json content_of(std::string_view type, const Json& schema, std::string_view example) {
  Json content = {{"schema", schema}};
  if (type == "application/json" && !example.empty()) content["example"] = Json::parse(example);
  if (type != "application/json" && !example.empty()) content["example"] = example;
  return {{std::string(type), std::move(content)}};
}

/// The roles that may ask for it; none where everybody may.
Json roles_of(http::Right right) {
  Json out = Json::array();
  for (const http::Role role : {http::Role::kMetrics, http::Role::kRead, http::Role::kCount,
                                http::Role::kReport, http::Role::kChange}) {
    if (right != http::Right::kNothing && http::may(role, right))
      out.push_back(http::to_string(role));
  }
  return out;
}

Json operation(const Route& route) {
  static constexpr RouteExample kNone;
  const RouteExample* const found = find_example(route.method, route.path);
  const RouteExample& example = found == nullptr ? kNone : *found;
  Json out = {{"operationId", operation_name(route)},
              {"summary", route.summary},
              {"x-role", http::to_string(http::role_for(route.right))},
              {"x-roles", roles_of(route.right)}};
  if (Json parameters = parameters_of(route, example.request); !parameters.empty())
    out["parameters"] = std::move(parameters);
  if (!route.body.empty()) {
    const bool json = route.body == "application/json";
    const Json schema = {{"type", json ? "object" : "string"}};
    out["requestBody"] = {{"content", content_of(route.body, schema, example.body)}};
  }
  const Json content =
      route.members.empty()
          ? content_of(route.media, {{"type", "string"}}, example.reply)
          : content_of("application/json", members_schema(route.members), example.reply);
  out["responses"] = {{"200", {{"description", "Done."}, {"content", content}}},
                      {"default", {{"$ref", "#/components/responses/Problem"}}}};
  return out;
}

}  // namespace

std::string Call::text(const char* name) const {
  const auto found = request.arguments.find(name);
  return found == request.arguments.end() ? "" : found->second;
}

std::int64_t Call::integer(const char* name, std::int64_t otherwise) const {
  return has(name) ? parse_whole<std::int64_t>(text(name)).value_or(otherwise) : otherwise;
}

double Call::number(const char* name) const { return parse_real(text(name)).value_or(0); }

Router::Router(std::vector<Route> routes, std::uint64_t body_bytes_max)
    : routes_(std::move(routes)), body_bytes_max_(body_bytes_max) {
  // "/cases/{id}/close" before "/cases/{id}", and what has no part first.
  std::ranges::stable_sort(routes_, [](const Route& a, const Route& b) {
    const bool a_part = !part_name(a.path).empty();
    const bool b_part = !part_name(b.path).empty();
    return a_part != b_part ? b_part : a.path.size() > b.path.size();
  });
}

http::HttpReply Router::answer(const http::HttpRequest& request) const {
  std::string allowed;
  const std::string path = present_path(request.path);
  for (const Route& route : routes_) {
    auto part = match(route.path, path);
    if (!part) continue;
    if (route.method != request.method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(http::to_string(route.method));
      if (route.method == http::HttpMethod::kGet) allowed += ", HEAD";
      continue;
    }
    if (!request.may(route.right)) return refuse(request, route.right);
    if (const std::string fault = fault_of(route, request); !fault.empty())
      return problem(kWrongArgument, fault);
    if (route.body.empty() && !request.body.empty()) return problem(kOtherType, "takes no body");
    if (route.body != kMail && request.body.size() > body_bytes_max_)
      return problem(kTooLarge, "the body is too long");
    if (route.pace == Route::Pace::kAtOnce) return route.answer({request, *std::move(part)});
    http::HttpReply reply;
    reply.slow = route.pace == Route::Pace::kSlow;
    reply.later = [&route, &request, part = *std::move(part)](const std::stop_token& stop) {
      http::HttpReply done = route.answer({request, part, stop});
      while (done.later) done = done.later(stop);
      return done;
    };
    return reply;
  }
  if (allowed.empty()) return problem(kNoRoute, "there is nothing at this path");
  http::HttpReply reply = problem(kOtherMethod, "only " + allowed);
  reply.headers.emplace_back("Allow", allowed);
  return reply;
}

http::HttpReply Router::document_reply() const { return json_reply(document()); }

Json Router::document() const {
  Json paths = Json::object();
  for (const Route& route : routes_) {
    if (!route.path.starts_with("/api/1/")) continue;
    std::string method(http::to_string(route.method));
    std::ranges::transform(method, method.begin(),
                           [](char c) { return static_cast<char>(c | 0x20); });
    paths[std::string(route.path)][method] = operation(route);
  }
  const Json problem_schema = {{"type", "object"},
                               {"required", {"title", "status", "detail"}},
                               {"properties",
                                {{"title", {{"type", "string"}}},
                                 {"status", {{"type", "integer"}}},
                                 {"detail", {{"type", "string"}}}}}};
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "shingled"}, {"version", "1"}}},
          {"security", Json::array({{{"key", Json::array()}}, {{"session", Json::array()}}})},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes",
             {{"key", {{"type", "http"}, {"scheme", "bearer"}}},
              {"session", {{"type", "apiKey"}, {"in", "cookie"}, {"name", http::kSessionCookie}}}}},
            {"responses",
             {{"Problem",
               {{"description", "What was wrong."},
                {"content", {{"application/problem+json", {{"schema", problem_schema}}}}}}}}}}}};
}

}  // namespace shingled::milter::api
