#pragma once

#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Whether rspamd can list the members of an archive. If not, it treats the archive as an ordinary
/// attachment.
///
/// Input:   a body, and its subtype as sniff_archive() gives it. `file_name` is that of the part,
///          for a gzip file that does not name its content.
/// Errors:  none; false if `meter` refuses.
/// Threads: stateless.
/// Cost:    linear in the headers between the members, paid to `meter`.
/// Source:  PKWARE APPNOTE 4.3 (zip), RARLAB's technote (rar), 7zFormat.txt, RFC 1952, and tests of
///          which broken archives rspamd accepts.
bool is_listable_archive(std::string_view body, std::string_view subtype,
                         std::string_view file_name, WorkMeter& meter);

}  // namespace shingled::mime
