#pragma once

#include <string_view>

namespace shingled::mime {

/// Words of four letters and more that the mail of any house is written in: about accounts,
/// orders, bills, parcels, appointments, failed deliveries, and those that any letter has. A text
/// of little else is common property, whoever sent it. `folded` as fold_letters() has it.
/// Threads: any; a table is made at the first use.
bool is_common(std::string_view folded);

}  // namespace shingled::mime
