#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "milter/features/name.h"

namespace shingled::milter::names {

using features::Name;
using features::NameRow;

/// The normal form of a value of that form: an address with small letters and the domain as DNS has
/// it, but with its `+tag`; a domain as DNS has it; a text in small letters with single spaces. Of
/// an address of a network: as it is. Empty if there is nothing.
/// Threads: stateless.
/// Cost:    linear.
std::string name_form(NameRow::Form form, std::string_view value);

/// The part after the last '@'; empty without one.
std::string_view domain_part(std::string_view address);

/// Whether everybody may register names below it: `com`, `co.uk`, `github.io`.
bool is_public_suffix(const std::string& domain);

/// What an address is looked for as: itself, and without the marks that differ from message to
/// message (mime/pieces/normal_address.h), of which `+tag` is one.
std::vector<std::string> forms_of_address(const std::string& address);

}  // namespace shingled::milter::names
