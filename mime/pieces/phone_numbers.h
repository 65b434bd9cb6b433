#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// Digits of a telephone number: E.164 allows 15; shorter ones are more often numbers of orders.
inline constexpr std::size_t kPhoneDigitsMax = 15;
inline constexpr std::size_t kPhoneDigitsMin = 8;          ///< of an international number
inline constexpr std::size_t kNationalPhoneDigitsMin = 9;  ///< of any other

/// The telephone numbers in a text, as digits, the first `count_max` different ones.
///
/// A number begins with `+` or `00`, or it begins with 0, a bracket or is in the American form
/// 800-555-0100, and is written in groups; so most numbers of orders, dates, amounts and IP
/// addresses are left out. The form is that of the digits: +49 (0)30 1234567 and 0049 30/12345-67
/// are 49301234567.
///
/// Input:   UTF-8.
/// Threads: stateless.
/// Cost:    linear.
std::vector<std::string> find_phones(std::string_view text, std::size_t count_max);

/// The digits of the number of a tel link ("tel:+49-30-1234567;ext=7"); nullopt if there are too
/// few or too many.
std::optional<std::string> phone_of_link(std::string_view number);

}  // namespace shingled::mime
