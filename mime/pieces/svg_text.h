#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mime/model/mail.h"

namespace shingled::mime {

/// What an SVG picture says and where it leads. rspamd reads some of them as HTML, which does not
/// know xlink:href.
struct SvgText {
  std::string text;                ///< of its elements, also its scripts and handlers of events
  std::vector<std::string> links;  ///< href and xlink:href of elements, but not inside the picture
};

inline constexpr std::size_t kSvgLinksMax = 4096;  ///< of one picture; the rest is left out

/// Whether a part is an SVG picture: by its type, its name or its beginning.
bool is_svg(const MailPart& part);

/// Input:   UTF-8; broken markup is read as far as it goes.
/// Output:  not longer than the input.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    linear in the picture.
SvgText read_svg(std::string_view utf8);

}  // namespace shingled::mime
