#include "milter/names/name_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/host_name.h"

namespace shingled::milter::names {

namespace {

std::string address_form(std::string_view value) {
  value = ascii::trim_space(value);
  if (value.size() >= 2 && value.front() == '<' && value.back() == '>' && value != "<>")
    value = value.substr(1, value.size() - 2);
  const std::size_t at = value.rfind('@');
  std::string local = ascii::to_lower(value.substr(0, at));
  if (local.size() > 2 && local.front() == '"' && local.back() == '"' &&
      local.find('\\') == std::string::npos)
    local = local.substr(1, local.size() - 2);
  if (at == std::string_view::npos) return local;
  return local + '@' + mime::ascii_host(value.substr(at + 1));
}

}  // namespace

std::string name_form(NameRow::Form form, std::string_view value) {
  switch (form) {
    case NameRow::Form::kAddress:
      return address_form(value);
    case NameRow::Form::kDomain:
      return mime::ascii_host(ascii::trim_space(value));
    case NameRow::Form::kNetwork:
      return std::string(ascii::trim_space(value));
    case NameRow::Form::kText:
      break;
  }
  return ascii::to_lower(mime::single_spaced(value));
}

std::string_view domain_part(std::string_view address) {
  const std::size_t at = address.rfind('@');
  return at == std::string_view::npos ? std::string_view() : address.substr(at + 1);
}

bool is_public_suffix(const std::string& domain) {
  // Each name below it is registered by itself. "localhost" has no name that is registered.
  const std::string below = "a." + domain;
  return mime::below_public_suffix(below) && mime::registrable_domain(below) == below;
}

std::vector<std::string> forms_of_address(const std::string& address) {
  std::vector<std::string> out = {address};
  auto normal = mime::normal_address(address);
  // Never one of another domain (SRS): what was proved is the domain as it is written.
  if (normal && normal->domain == domain_part(address) && normal->text() != address)
    out.push_back(normal->text());
  return out;
}

namespace {

using Form = NameRow::Form;

constexpr std::size_t kDomainBytesMax = 253;  // RFC 1035 2.3.4, without the root's dot
constexpr std::size_t kShown = 60;

Error wrong(std::string_view text, std::string_view what) {
  return {ErrorCode::kInvalid, fmt::format("'{}' {}", text.substr(0, kShown), what)};
}

bool is_domain(std::string_view domain) {
  if (domain.empty() || domain.size() > kDomainBytesMax) return false;
  if (domain.front() == '.' || domain.back() == '.' || domain.find("..") != std::string_view::npos)
    return false;
  return std::ranges::all_of(
      domain, [](char c) { return ascii::is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

/// A domain, with or without the dot that stands for all below it.
Result<std::string> read_domain(std::string_view text, bool list_id) {
  if (text.starts_with("*."))
    return wrong(text, fmt::format("has a '*'; did you mean '{}'?", text.substr(1, kShown)));
  const bool below = text.starts_with('.');
  const std::string domain = name_form(Form::kDomain, text.substr(below ? 1 : 0));
  if (text.find('@') != std::string_view::npos)
    return wrong(text, "is an address; allowed: a domain such as shop.example or .shop.example");
  if (!is_domain(domain))
    return wrong(text,
                 "is not a domain; allowed: such as shop.example, or .shop.example for it "
                 "and all below");
  const bool single = domain.find('.') == std::string::npos;
  if ((below || !list_id) && is_public_suffix(domain))
    return wrong(text,
                 "is a domain below which everybody may register names; allowed: a domain "
                 "of somebody, such as shop.example");
  if (single && below)
    return wrong(text,
                 "is a top-level domain; allowed: a domain of somebody, such as .shop.example");
  return (below ? "." : "") + domain;
}

Result<NameEntry> read_address(std::string_view text) {
  if (text.starts_with('.')) {
    auto domain = read_domain(text, false);
    if (!domain) return domain.error();
    return NameEntry{*std::move(domain)};
  }
  if (text.starts_with("*@") || text.ends_with("@*")) {
    const bool any_local = text.starts_with("*@");
    const std::string_view rest = any_local ? text.substr(1) : text.substr(0, text.size() - 1);
    return wrong(text, fmt::format("has a '*'; did you mean '{}'?", rest.substr(0, kShown)));
  }
  const std::string address = name_form(Form::kAddress, text);
  if (address == "<>") return NameEntry{address};
  const std::size_t at = address.rfind('@');
  constexpr std::string_view kAllowed =
      "is not an address; allowed: such as news@shop.example, news@ for any domain, @shop.example "
      "for all of a domain, .shop.example for it and all below";
  if (at == std::string::npos) return wrong(text, kAllowed);
  const bool blank =
      std::ranges::any_of(address, [](char c) { return c >= 0 && !ascii::is_graph(c); });
  const std::string domain = address.substr(at + 1);
  if (blank || (at == 0 && domain.empty()) || (!domain.empty() && !is_domain(domain)))
    return wrong(text, kAllowed);
  if (at == 0 && is_public_suffix(domain))
    return wrong(text,
                 "is a domain below which everybody may register names; allowed: a domain "
                 "of somebody, such as @shop.example");
  return NameEntry{address};
}

Result<NameEntry> read_network(std::string_view text) {
  const auto network = Network::parse(text);
  if (!network)
    return wrong(text,
                 "is not an address or network; allowed: such as 192.0.2.1, 192.0.2.0/24 "
                 "or 2001:db8::/32");
  const bool v4 = network->address.family == IpAddress::Family::kV4;
  const int least = v4 ? kNetworkBitsMinV4 : kNetworkBitsMinV6;
  if (network->prefix_bits < least)
    return wrong(
        text, fmt::format("is a part of the world, not a network; allowed: /{} or longer", least));
  return NameEntry{network->to_string(), network};
}

}  // namespace

Result<NameEntry> read_name_entry(const NameRow& row, std::string_view text) {
  text = ascii::trim_space(text);
  if (text.empty()) return Error{ErrorCode::kInvalid, "is empty"};
  if (text.size() > kEntryBytesMax)
    return wrong(text, fmt::format("is longer than {} bytes", kEntryBytesMax));
  switch (row.form) {
    case Form::kAddress:
      return read_address(text);
    case Form::kDomain: {
      auto domain = read_domain(text, row.name == Name::kListId || row.name == Name::kProvedListId);
      if (!domain) return domain.error();
      return NameEntry{*std::move(domain)};
    }
    case Form::kNetwork:
      return read_network(text);
    case Form::kText:
      break;
  }
  return NameEntry{name_form(Form::kText, text)};
}

}  // namespace shingled::milter::names
