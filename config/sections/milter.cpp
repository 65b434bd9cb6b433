#include <algorithm>

#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<FailurePolicy>, 3> kPolicies = {{{"accept", FailurePolicy::kAccept},
                                                             {"tempfail", FailurePolicy::kTempfail},
                                                             {"reject", FailurePolicy::kReject}}};

/// Headers of the mail itself, which we must not add or remove.
constexpr std::array<std::string_view, 24> kMailHeaders = {"From",
                                                           "To",
                                                           "Cc",
                                                           "Bcc",
                                                           "Subject",
                                                           "Date",
                                                           "Sender",
                                                           "Reply-To",
                                                           "Message-ID",
                                                           "In-Reply-To",
                                                           "References",
                                                           "Received",
                                                           "Return-Path",
                                                           "Resent-From",
                                                           "Resent-To",
                                                           "Resent-Date",
                                                           "MIME-Version",
                                                           "Content-ID",
                                                           "Comments",
                                                           "Content-Type",
                                                           "Delivered-To",
                                                           "Keywords",
                                                           "DKIM-Signature",
                                                           "Content-Transfer-Encoding"};

void read_socket_mode(Section& section, std::string_view key, std::uint32_t& out) {
  const auto field = section.field(key);
  if (!field) return;
  constexpr std::string_view kAllowed = "octal 0600 to 0777, at least rw for the owner";
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  const bool octal = !text->empty() && text->size() <= 4 &&
                     text->find_first_not_of("01234567") == std::string_view::npos;
  std::uint32_t mode = 0;
  if (octal) {
    for (const char c : *text) mode = mode * 8 + static_cast<std::uint32_t>(c - '0');
  }
  if (mode < 0600 || mode > 0777) {
    field->refuse("not a valid mode of a socket", kAllowed);
  } else {
    out = mode;
  }
}

/// A score, or null or off for "never".
void read_threshold(Section& section, std::string_view key, std::optional<double>& out) {
  const auto field = section.field(key);
  if (!field) return;
  if (field->is_null()) {
    out.reset();
    return;
  }
  constexpr std::string_view kAllowed = "a score such as 7.5, or null or off for never";
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  if (equal_ignoring_case(*text, "off")) {
    out.reset();
  } else if (const auto score = parse_real(*text)) {
    out = score;
  } else {
    field->refuse("not a score", kAllowed);
  }
}

/// Whether we may add or remove headers with this name; a problem of `field` if not.
bool check_header_name(const Field& field, std::string_view name, std::string_view allowed) {
  constexpr std::size_t kNameBytesMax = 64;
  // RFC 5322 section 2.2: ftext
  const bool legal =
      name.size() <= kNameBytesMax &&
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~' && c != ':'; });
  const bool taken = std::any_of(kMailHeaders.begin(), kMailHeaders.end(),
                                 [&](auto other) { return equal_ignoring_case(other, name); });
  if (!legal) {
    field.refuse(name, "not a valid name of a header", allowed);
  } else if (taken) {
    field.refuse(name, "a header of the mail itself", "a name of our own");
  }
  return legal && !taken;
}

void read_header_name(Section& section, std::string_view key, std::string& out) {
  const auto field = section.field(key);
  if (!field) return;
  constexpr std::string_view kAllowed =
      "1 to 64 printable ASCII characters without space and colon, or \"\" for none";
  const auto text = field->scalar(kAllowed);
  if (text && check_header_name(*field, *text, kAllowed)) out = *text;
}

/// The inbound headers that are removed. Default: those with names that only we write. Other
/// filters write X-Spam, too, and a forged "Yes" only harms its sender.
void read_removed_headers(Section& section, std::string_view key, HeaderOptions& out) {
  out.remove.clear();
  const auto field = section.field(key);
  if (!field) {
    for (const std::string* name : {&out.score, &out.status, &out.result}) {
      if (!name->empty()) out.remove.push_back(*name);
    }
    return;
  }
  constexpr std::string_view kAllowed =
      "names of headers, each of 1 to 64 printable ASCII characters without space and colon";
  constexpr std::size_t kNamesMax = 100;  // each inbound header is compared with them
  for (auto& [item, word] : field->words(kAllowed)) {
    if (!word.empty() && check_header_name(item, word, kAllowed)) {
      out.remove.push_back(std::move(word));
    }
  }
  if (out.remove.size() > kNamesMax) field->problem("has too many names", "at most 100");
}

void check_headers(Section& section, Settings& settings) {
  const HeaderOptions& headers = settings.milter.headers;
  const std::array<std::pair<std::string_view, const std::string*>, 4> names = {
      {{"spam", &headers.spam},
       {"score", &headers.score},
       {"status", &headers.status},
       {"result", &headers.result}}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& name = *names[i].second;
      if (name.empty() || !equal_ignoring_case(name, *names[j].second)) continue;
      section.problem(names[i].first, in_quotes(name) + " is also the name of '" +
                                          std::string(names[j].first) + "'; allowed: another one");
    }
  }
}

void read_reject_text(Section& section, std::string_view key, std::string& out) {
  const auto field = section.field(key);
  if (!field) return;
  constexpr std::string_view kAllowed = "1 to 450 printable ASCII characters on one line";
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  constexpr std::size_t kTextBytesMax = 450;  // RFC 5321 4.5.3.1.5: a reply line has 512
  const bool printable =
      std::all_of(text->begin(), text->end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (text->empty() || text->size() > kTextBytesMax || !printable) {
    field->refuse("not a valid text for an SMTP reply", kAllowed);
  } else {
    out = *text;
  }
}

void read_milter_socket(Section& section, std::string_view key, SocketSpec& out) {
  const auto field = section.field(key);
  if (!field) return;
  const auto text = field->scalar("inet:PORT@HOST, inet6:PORT@HOST, unix:/PATH, HOST:PORT");
  const auto spec = text ? read_socket(*field, *text, 0) : std::nullopt;
  if (spec) out = *spec;
}

std::string octal(const std::uint32_t& mode) {
  std::string out;
  for (std::uint32_t rest = mode; rest > 0; rest /= 8)
    out.insert(out.begin(), char('0' + rest % 8));
  return '0' + out;
}

const Typed<std::string> kHeaderName = {"text", read_header_name,
                                        [](const std::string& name) { return flow_scalar(name); }};
const Typed<std::optional<double>> kThreshold = {"real", read_threshold,
                                                 [](const std::optional<double>& score) {
                                                   return score ? shortest_text(*score)
                                                                : std::string("null");
                                                 },
                                                 "", "off"};

Keys<Settings> failure_keys(const Place<Settings, FailureOptions>& place) {
  return {
      key("local", place(&FailureOptions::local), OneOf(kPolicies),
          "from local_networks, or from a program on this machine"),
      key("authenticated", place(&FailureOptions::authenticated), OneOf(kPolicies),
          "after SMTP AUTH"),
      key("other", place(&FailureOptions::other), OneOf(kPolicies), "all other senders"),
  };
}

Keys<Settings> action_keys(const Place<Settings, ActionOptions>& place) {
  return {
      key("discard", place(&ActionOptions::discard), kThreshold, "accept and throw away"),
      key("reject", place(&ActionOptions::reject), kThreshold, "reject with 550 5.7.1"),
      key("quarantine", place(&ActionOptions::quarantine), kThreshold,
          "have the mail server hold it"),
      key("tempfail", place(&ActionOptions::tempfail), kThreshold, "defer with 451 4.7.1"),
      key("add_header", place(&ActionOptions::add_header), kThreshold,
          "deliver with the headers below"),
  };
}

Keys<Settings> header_keys(const Place<Settings, HeaderOptions>& place) {
  return {
      key("spam", place(&HeaderOptions::spam), kHeaderName,
          "\"Yes\", from the add_header score on; other filters and Sieve rules use it"),
      key("score", place(&HeaderOptions::score), kHeaderName, "the total score, such as 12.50"),
      key("status", place(&HeaderOptions::status), kHeaderName, "the verdict and its reason"),
      key("result", place(&HeaderOptions::result), kHeaderName,
          "one for each hit, at most 32: symbol, flag, value, probability, digest"),
      // After the names: it follows them.
      key("remove", place,
          Typed<HeaderOptions>{
              "list", read_removed_headers,
              [](const HeaderOptions& headers) { return flow_list(headers.remove); }}),
  };
}

}  // namespace

Key<Settings> milter_section() {
  const auto start = at_start(&Settings::milter);
  const auto live = at_reload(&Settings::milter);
  return map<Settings>(
      "milter",
      {
          key("enabled", start(&MilterOptions::enabled), Switch{},
              "no = run only the fuzzy storage"),
          key("socket", start(&MilterOptions::socket),
              Typed<SocketSpec>{
                  "socket", read_milter_socket,
                  [](const SocketSpec& socket) { return flow_scalar(socket.to_string()); }}),
          key("socket_mode", start(&MilterOptions::socket_mode),
              Typed<std::uint32_t>{"octal", read_socket_mode, octal, "0600 to 0777"},
              "mode of a unix socket, octal, 0600 to 0777"),
          key("socket_group", start(&MilterOptions::socket_group), Text{},
              "group of a unix socket; the daemon's user must be a member; \"\" = the group of the "
              "process or of the directory"),
          key("timeout", live(&MilterOptions::timeout), Time{100ms, 10min},
              "for all look-ups of one message together, {}"),
          key("lookups_max", live(&MilterOptions::lookups_max), Number{1, 1'000'000},
              "look-ups of one message and rule, body first, {}; everything beyond is unknown"),
          constant("mta_timeout", live(&MilterOptions::mta_timeout), Time::write),
          key("message_bytes_max", live(&MilterOptions::message_bytes_max), Size{kKi, 2 * kGi},
              "only this much of a larger message is judged, {}"),
          key("memory_max", live(&MilterOptions::memory_max), Size{16 * kMi, kTi},
              "for all messages in progress with their analysis, {}; must have room for one of "
              "message_bytes_max (304M for 50M). If there is none, a message waits for its "
              "analysis or is deferred with 451 4.3.1, whatever on_failure says; small messages "
              "have a reserved share"),
          key("local_networks", live(&MilterOptions::local_networks), Networks{},
              "senders of the class \"local\""),
          key("skip_local", live(&MilterOptions::skip_local), Switch{},
              "yes = mail of local senders passes without a check"),
          key("skip_authenticated", live(&MilterOptions::skip_authenticated), Switch{},
              "yes = mail of senders after SMTP AUTH passes without a check"),
          key("dry_run", live(&MilterOptions::dry_run), Switch{},
              "yes = judge and log, but change and reject nothing"),
          key("reject_text", live(&MilterOptions::reject_text),
              Typed<std::string>{"text", read_reject_text,
                                 [](const std::string& text) { return flow_scalar(text); }},
              "text of the SMTP reply after 5.7.1, 1 to 450 ASCII characters; the queue id follows "
              "it"),
          key("drain_time", live(&MilterOptions::drain_time), Time{0s, 1h},
              "after SIGTERM, time to finish the messages in progress, {}"),
          map("on_failure", failure_keys(live(&MilterOptions::on_failure))),
          map("actions", action_keys(live(&MilterOptions::actions))),
          map<Settings>("headers", header_keys(live(&MilterOptions::headers)), check_headers),
      },
      [](Section& section, Settings& /*settings*/) {
        refuse_foreign_keys(section, ForeignTo::kMilter);
      });
}

}  // namespace shingled::config
