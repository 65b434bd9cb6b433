#pragma once

#include "mime/html/css_values.h"

namespace shingled::mime {

/// The colour of hsl(): the hue in degrees of any sign and size, of which rspamd takes the whole
/// part, saturation and lightness in percent; what is beyond 0 and 100 is cut off.
/// Threads: stateless.
/// Source:  CSS Color Module Level 4, section 7.
Color hsl_color(double hue, double saturation, double lightness);

}  // namespace shingled::mime
