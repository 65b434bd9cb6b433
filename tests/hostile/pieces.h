#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace shingled::hostile {

/// The fields every message has, without the empty line: a kind goes on with its own.
std::string head();
std::string plain(std::string_view charset = "utf-8");  ///< head and begin of a plain text
std::string html();                                     ///< of an HTML text
std::string mixed(std::string_view boundary = "b");     ///< of a multipart
/// Of a body in that transfer encoding.
std::string encoded(std::string_view encoding, std::string_view type = "text/plain");
/// Of an attachment in base64.
std::string attached(std::string_view type);

/// `begin`, then whole `piece`s until there are so many bytes.
std::string repeat(std::string begin, std::string_view piece, std::size_t bytes);
/// Likewise with several in turn.
std::string rotate(std::string begin, std::initializer_list<std::string_view> pieces,
                   std::size_t bytes);
/// Likewise with a number in each, so that no two are equal.
std::string count_up(std::string begin, std::string_view before, std::string_view behind,
                     std::size_t bytes);
/// `open` as often as there is room for it and its `close`, `core` in the middle.
std::string nest(std::string begin, std::string_view open, std::string_view core,
                 std::string_view close, std::size_t bytes);
/// `levels` headers of nested messages with these fields, each followed by its empty line.
std::string nest_messages(std::size_t levels, std::string_view fields = "");

/// Base64 in lines of 76.
std::string base64(std::string_view bytes);
/// Bytes that no program compresses or reads, the same for the same seed.
std::string noise(std::size_t bytes, std::uint64_t seed = 1);
/// Ordinary words, no line equal to another.
std::string prose(std::size_t bytes, std::uint64_t seed = 1);

}  // namespace shingled::hostile
