#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/analyze.h"
#include "mime/message/part_kind.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The inside of an Analysis, for what looks at parts themselves. `contents[i]` belongs to
/// `mail.parts[i]`.
struct Analysis::Parts {
  MimeOptions options;
  Mail mail;
  std::string subject;  ///< decoded; empty if there is none
  std::vector<PartContent> contents;
  std::vector<std::uint32_t> body;  ///< the parts that are the visible body
  Steps work_left = 0;              ///< for texts and hashes
  bool incomplete = false;          ///< a bound was met, and parts may be missing
  std::stop_token stop;

  [[nodiscard]] bool is_text(std::size_t part) const {
    const ContentKind kind = contents[part].kind;
    return kind == ContentKind::kText || kind == ContentKind::kHtml;
  }
};

}  // namespace shingled::mime
