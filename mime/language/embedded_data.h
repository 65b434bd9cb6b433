#pragma once

#include <string_view>

namespace shingled::mime {

/// A file of mime/language/data as it stands in the source tree, by name ("en.stop"); it is part of
/// the program, so that nothing has to be found or read at run time. Empty for a name that is not
/// there.
std::string_view embedded_file(std::string_view name);

}  // namespace shingled::mime
