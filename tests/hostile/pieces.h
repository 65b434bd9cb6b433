#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace shingled::hostile {

/// The header fields of every message, without the empty line, so that a kind can add its own.
std::string head();
std::string plain(std::string_view charset = "utf-8");  ///< `head` and the header of a plain text
std::string html();                                     ///< `head` and the header of an HTML text
std::string mixed(std::string_view boundary = "b");     ///< `head` and the header of a multipart
/// `head` and the header of a body in that transfer encoding.
std::string encoded(std::string_view encoding, std::string_view type = "text/plain");
/// `head` and the header of an attachment in base64.
std::string attached(std::string_view type);

/// `begin`, then complete `piece`s up to `bytes` bytes.
std::string repeat(std::string begin, std::string_view piece, std::size_t bytes);
/// As `repeat`, with several pieces in turn.
std::string rotate(std::string begin, std::initializer_list<std::string_view> pieces,
                   std::size_t bytes);
/// As `repeat`, with a number in each piece, so that all are different.
std::string count_up(std::string begin, std::string_view before, std::string_view behind,
                     std::size_t bytes);
/// As many pairs of `open` and `close` as fit, with `core` in the middle.
std::string nest(std::string begin, std::string_view open, std::string_view core,
                 std::string_view close, std::size_t bytes);
/// The headers of `levels` nested messages with these fields, each followed by an empty line.
std::string nest_messages(std::size_t levels, std::string_view fields = "");

/// Base64 in lines of 76 characters.
std::string base64(std::string_view bytes);
/// Random bytes that cannot be compressed; the same for the same seed.
std::string noise(std::size_t bytes, std::uint64_t seed = 1);
/// Ordinary words; all lines are different.
std::string prose(std::size_t bytes, std::uint64_t seed = 1);

}  // namespace shingled::hostile
