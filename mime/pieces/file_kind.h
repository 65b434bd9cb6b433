#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

/// The media type of a file by its first bytes, whatever its name says; empty if they tell nothing.
/// Programs, documents, archives, images of disks and pictures that come by mail.
/// Threads: stateless.
/// Cost:    constant.
std::string_view sniff_file(std::string_view bytes);

/// The name that a reader sees of a file: in lower case (fold_case()), without folders, digits as
/// 0. Empty for an empty name.
/// Input:   decoded, UTF-8.
/// Threads: any.
std::string normal_file_name(std::string_view name);

/// "pdf application/x-dosexec": the extension of such a normal name and the real media type, "-"
/// where one of them is not known. Empty if neither is.
std::string file_kind(std::string_view normal_name, std::string_view media_type);

}  // namespace shingled::mime
