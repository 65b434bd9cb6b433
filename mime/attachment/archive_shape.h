#pragma once

#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Whether rspamd can list what is in an archive. Only then it hashes the archive as one; a broken
/// one is an attachment like others.
///
/// Input:   a body and what sniff_archive() says it is. `file_name`: of the part, for what is
/// inside
///          a gzip file without a name.
/// Errors:  none; also false where `meter` refuses.
/// Threads: stateless.
/// Cost:    linear in the headers between the members, which `meter` is paid for.
/// Source:  PKWARE APPNOTE 4.3 (zip), RARLAB's technote (rar), 7zFormat.txt, RFC 1952, and which
///          broken ones rspamd takes.
bool is_listable_archive(std::string_view body, std::string_view subtype,
                         std::string_view file_name, WorkMeter& meter);

}  // namespace shingled::mime
