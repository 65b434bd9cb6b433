#include <array>

#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::uint16_t kHttpPort = 11340;

constexpr std::array<Choice<HttpRole>, 6> kLocal = {{{"change", HttpRole::kChange},
                                                     {"read", HttpRole::kRead},
                                                     {"report", HttpRole::kReport},
                                                     {"count", HttpRole::kCount},
                                                     {"metrics", HttpRole::kMetrics},
                                                     {"off", HttpRole::kOff}}};

void read_http_sockets(Section& section, std::string_view key, std::vector<SocketSpec>& out) {
  constexpr std::string_view kAllowed = "HOST:PORT, [IPV6]:PORT, unix:/PATH, or [] for none";
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    if (const auto spec = read_socket(item, word, kHttpPort)) out.push_back(*spec);
  }
}

bool is_of_this_machine(const SocketSpec& spec) {
  const auto ip = IpAddress::parse(spec.host);
  return spec.kind == SocketSpec::Kind::kUnix || spec.host == "localhost" ||
         (ip && ip->is_loopback());
}

void check_http(const Section& section, const HttpOptions& http) {
  if (http.certificate.empty() && !http.key.empty())
    return section.problem("tls", "has a key and no certificate; allowed: with tls.certificate");
  if (!http.certificate.empty() || http.plain) return;
  for (const SocketSpec& spec : http.listen) {
    if (is_of_this_machine(spec)) continue;
    section.problem("listen", spec.to_string() +
                                  " is reached from other machines without encryption; allowed: "
                                  "with a setting of tls.certificate, or with plain: yes");
  }
}

Typed<std::vector<SocketSpec>> sockets() {
  return {"list of sockets", read_http_sockets, flow_sockets};
}

/// The section's name of before: its keys work, each with a warning that says the new name.
class StatusLine final : public KeyLine<Settings> {
 public:
  StatusLine() : KeyLine<Settings>("status", "", false) {}

  void read(Section& section, Settings& settings) const override {
    if (!section.has(name)) return;
    Section old = section.section(name);
    for (const std::string_view key : {"listen", "connections_max", "timeout"}) {
      if (old.has(key)) old.warning(key, "has another name now: http." + std::string(key));
    }
    read_http_sockets(old, "listen", settings.http.listen);
    Number{16, 10'000}.read(old, "connections_max", settings.http.connections_max);
    Time{1s, 10min}.read(old, "timeout", settings.http.timeout);
    if (old.has("matches_max"))
      old.retired_key("matches_max", std::to_string(HttpOptions::kMatchesMax));
  }
};

}  // namespace

Key<Settings> http_section() {
  const auto start = at_start(&Settings::http);
  return start_map<Settings>(
      "http",
      {
          key("listen", start(&HttpOptions::listen), sockets(),
              "HOST:PORT, [IPV6]:PORT or unix:/PATH (mode 0660); [] = off. Requests from this "
              "machine must use an address, localhost, the machine's name or a name given here "
              "(other names are answered with 421)"),
          start_map<Settings>(
              "tls", {key("certificate", start(&HttpOptions::certificate), Path{},
                          "PEM, with those that signed it; \"\" = no TLS. Read again at SIGHUP"),
                      key("key", start(&HttpOptions::key), Path{},
                          "PEM; \"\" = in the file of the certificate")}),
          key("plain", start(&HttpOptions::plain), Switch{},
              "yes = an address that other machines reach may be without TLS"),
          key("local", start(&HttpOptions::local), OneOf(kLocal),
              "what requests of this machine may do without a key: change = everything, read, "
              "report, count, metrics, or off"),
          key("keys_file", start(&HttpOptions::keys_file), Path{},
              "keys of programs, written by `shingled key`; need not exist"),
          key("users_file", start(&HttpOptions::users_file), Path{},
              "people who may sign in, written by `shingled passwd`; need not exist"),
          key("page", start(&HttpOptions::page), Switch{},
              "no = there is nothing to look at with a browser, only the API"),
          key("connections_max", start(&HttpOptions::connections_max), Number{16, 10'000},
              "at the same time for each address of listen, an eighth of them for one client, {}"),
          key("timeout", start(&HttpOptions::timeout), Time{1s, 10min},
              "for a request and its answer together, {}"),
          key("body_bytes_max", start(&HttpOptions::body_bytes_max), Size{4 * kKi, kGi},
              "length of a request, {}; a report may be as long as reports.bytes_max"),
      },
      [](Section& section, Settings& settings) { check_http(section, settings.http); });
}

Key<Settings> status_section() { return std::make_shared<const StatusLine>(); }

}  // namespace shingled::config
