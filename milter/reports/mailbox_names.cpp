#include "milter/reports/mailbox_names.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "config/base/ascii.h"
#include "milter/reports/alias_table.h"
#include "milter/reports/reported_message.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::reports {

namespace {

constexpr const char* kMailNameFile = "/etc/mailname";
constexpr std::size_t kHostNameBytesMax = 256;

std::string host_domain() {
  std::array<char, kHostNameBytesMax> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  const std::string_view host = name.data();
  const std::size_t dot = host.find('.');
  return std::string(dot == std::string_view::npos ? host : host.substr(dot + 1));
}

}  // namespace

std::string mail_domain_of_machine() {
  if (const auto text = read_whole_text(kMailNameFile, kHostNameBytesMax)) {
    const std::string_view name = ascii::trim_space(std::string_view(*text));
    if (name.find('.') != std::string_view::npos &&
        name.find_first_of("@ \t\n") == std::string_view::npos)
      return std::string(name);
  }
  return host_domain();
}

bool MailboxNames::refresh(std::string_view domain, const std::string& aliases) {
  const FileStamp stamp = aliases.empty() ? FileStamp{} : stamp_of(aliases);
  const bool same_domain = !fresh_ && domain == wanted_domain_;
  if (same_domain && aliases == path_ && stamp == stamp_) return false;
  if (!same_domain) {
    wanted_domain_ = domain;
    domain_ = mime::ascii_host(domain.empty() ? mail_domain_of_machine() : std::string(domain));
  }
  fresh_ = false;
  if (aliases != path_) aliases_ = {};
  path_ = aliases;
  stamp_ = stamp;
  if (!aliases.empty()) read(aliases);
  return true;
}

void MailboxNames::read(const std::string& path) {
  const auto file = read_whole_file(path, kFileBytesMax);
  if (!file) {
    logger_.error(LogLine("aliases_kept")
                      .field("file", path)
                      .field("entries", aliases_.size())
                      .field("why", file.error().message));
    return;
  }
  std::optional<AliasTable::Mistake> mistake;
  aliases_ = AliasTable::parse(file->text, domain_, mistake);
  stamp_ = file->stamp;
  logger_.info(LogLine("list_read").field("file", path).field("entries", aliases_.size()));
  if (mistake) {
    logger_.error(LogLine("aliases_line")
                      .field("file", path)
                      .field("line", mistake->line)
                      .field("why", mistake->what));
  }
}

std::vector<std::string> MailboxNames::addresses_of(const std::string& mailbox) const {
  std::vector<std::string> out = aliases_.names_of(mailbox, kAliasesMax);
  out.push_back(mailbox);
  return out;
}

std::string MailboxNames::mailbox_of(std::string_view reporter) const {
  std::string_view name = ascii::trim_space(reporter);
  if (name.starts_with('<') && name.ends_with('>')) name = name.substr(1, name.size() - 2);
  auto address = mime::normal_address(name);
  if (!address) return ascii::to_lower(reporter);
  // A stranger may write an address of ours into another one (SRS); nothing has proved that one.
  const std::size_t at = name.rfind('@');
  const std::string written =
      at == std::string_view::npos ? std::string() : mime::ascii_host(name.substr(at + 1));
  if (!address->domain.empty() && address->domain != written) return ascii::to_lower(reporter);
  if (address->domain.empty()) address->domain = domain_;
  return aliases_.mailbox_of(address->text());
}

void PersonNames::use(const ReportOptions& options, const std::optional<CounterKeyBytes>& site) {
  auto state = state_.lock();
  state->domain = options.domain;
  state->aliases = options.aliases;
  state->site = site;
  state->looked.reset();
}

std::uint64_t PersonNames::person_of(std::string_view address) {
  auto state = state_.lock();
  if (!state->site) return 0;
  const TimePoint now = clock_.now();
  if (!state->looked || now - *state->looked >= kLookPause) {
    state->names.refresh(state->domain, state->aliases);
    state->looked = now;
  }
  return reporter_id(*state->site, state->names.mailbox_of(address));
}

namespace {

bool is_bare(std::string_view name) { return name.find('@') == std::string_view::npos; }

}  // namespace

std::vector<BareName> bare_names(const ReportOptions& options, std::string_view machine_domain,
                                 std::string_view aliases) {
  std::vector<BareName> out;
  if (!options.domain.empty() || machine_domain.find('.') != std::string_view::npos) return out;
  for (std::size_t i = 0; i < options.trusted_reporters.size(); ++i) {
    const std::string& name = options.trusted_reporters[i];
    if (is_bare(name)) out.push_back({fmt::format("reports.trusted_reporters[{}]", i), name});
  }
  std::optional<AliasTable::Mistake> mistake;
  for (const std::string& mailbox : AliasTable::parse(aliases, "", mistake).targets()) {
    if (!is_bare(mailbox)) continue;
    out.push_back({"reports.aliases", mailbox});
    break;
  }
  return out;
}

std::string why_bare(const BareName& bare, std::string_view machine_domain) {
  const std::string mailbox =
      machine_domain.empty()
          ? "and this machine does not know its domain"
          : fmt::format("so it is {}@{}, at which no mail comes", bare.name, machine_domain);
  return fmt::format(
      "'{}' has no domain, {}; set reports.domain to the domain of the mailboxes, or write the "
      "whole address",
      bare.name, mailbox);
}

}  // namespace shingled::milter::reports
