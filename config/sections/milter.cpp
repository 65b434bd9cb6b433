#include <algorithm>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

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

void read_socket_mode(Section& section, std::uint32_t& out) {
  const auto field = section.field("socket_mode");
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
void read_removed_headers(Section& section, HeaderOptions& out) {
  out.remove.clear();
  const auto field = section.field("remove");
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

void load_headers(Section&& section, HeaderOptions& out) {
  const std::array<std::pair<std::string_view, std::string*>, 4> names = {
      {{"spam", &out.spam},
       {"score", &out.score},
       {"status", &out.status},
       {"result", &out.result}}};
  for (const auto& [key, name] : names) read_header_name(section, key, *name);
  read_removed_headers(section, out);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& name = *names[i].second;
      if (name.empty() || !equal_ignoring_case(name, *names[j].second)) continue;
      section.problem(names[i].first, in_quotes(name) + " is also the name of '" +
                                          std::string(names[j].first) + "'; allowed: another one");
    }
  }
}

void read_reject_text(Section& section, std::string& out) {
  const auto field = section.field("reject_text");
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

void load_failure_policy(Section&& section, FailureOptions& out) {
  section.choice<FailurePolicy>("local", out.local, kPolicies);
  section.choice<FailurePolicy>("authenticated", out.authenticated, kPolicies);
  section.choice<FailurePolicy>("other", out.other, kPolicies);
}

void load_actions(Section&& section, ActionOptions& out) {
  read_threshold(section, "discard", out.discard);
  read_threshold(section, "reject", out.reject);
  read_threshold(section, "quarantine", out.quarantine);
  read_threshold(section, "tempfail", out.tempfail);
  read_threshold(section, "add_header", out.add_header);
}

}  // namespace

void load_milter(Section&& section, MilterOptions& out) {
  section.boolean("enabled", out.enabled);
  refuse_foreign_keys(section, ForeignTo::kMilter);
  if (const auto field = section.field("socket")) {
    const auto text = field->scalar("inet:PORT@HOST, inet6:PORT@HOST, unix:/PATH, HOST:PORT");
    const auto spec = text ? read_socket(*field, *text, 0) : std::nullopt;
    if (spec) out.socket = *spec;
  }
  read_socket_mode(section, out.socket_mode);
  section.text("socket_group", out.socket_group);
  section.duration<milliseconds>("timeout", out.timeout, {milliseconds(100), minutes(10)});
  section.number<std::uint32_t>("lookups_max", out.lookups_max, {1, 1'000'000});
  section.duration<seconds>("mta_timeout", out.mta_timeout, {seconds(1), hours(24)});
  section.size("message_bytes_max", out.message_bytes_max, {1024, std::uint64_t{2} << 30});
  section.size("memory_max", out.memory_max, {16UL << 20, std::uint64_t{1} << 40});
  section.networks("local_networks", out.local_networks);
  section.boolean("skip_local", out.skip_local);
  section.boolean("skip_authenticated", out.skip_authenticated);
  section.boolean("dry_run", out.dry_run);
  load_failure_policy(section.section("on_failure"), out.on_failure);
  load_actions(section.section("actions"), out.actions);
  load_headers(section.section("headers"), out.headers);
  read_reject_text(section, out.reject_text);
  section.duration<seconds>("drain_time", out.drain_time, {seconds(0), hours(1)});
}

}  // namespace shingled::config
