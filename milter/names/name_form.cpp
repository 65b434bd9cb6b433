#include "milter/names/name_form.h"

#include <utility>

#include "config/base/ascii.h"
#include "mime/pieces/header_text.h"
#include "mime/pieces/mail_address.h"
#include "mime/url/ascii_host.h"
#include "mime/url/public_suffix.h"

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

}  // namespace shingled::milter::names
