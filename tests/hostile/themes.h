#pragma once

#include <vector>

#include "tests/hostile/hostile_kinds.h"

namespace shingled::hostile {

std::vector<HostileKind> nesting_kinds();
std::vector<HostileKind> delimiter_kinds();
std::vector<HostileKind> header_kinds();
std::vector<HostileKind> parameter_kinds();
std::vector<HostileKind> part_kinds();
std::vector<HostileKind> charset_kinds();
std::vector<HostileKind> encoding_kinds();
std::vector<HostileKind> html_kinds();
std::vector<HostileKind> markup_kinds();
std::vector<HostileKind> style_kinds();
std::vector<HostileKind> text_kinds();
std::vector<HostileKind> link_kinds();
std::vector<HostileKind> container_kinds();
std::vector<HostileKind> attachment_kinds();
std::vector<HostileKind> quote_kinds();
std::vector<HostileKind> reader_kinds();
std::vector<HostileKind> line_kinds();
std::vector<HostileKind> stage_kinds();  ///< the worst cases of single stages in tests/bench
/// Some of `others`, each repeated as many parts of one message, because limits per part hold for
/// each part.
std::vector<HostileKind> many_kinds(const std::vector<HostileKind>& others);

}  // namespace shingled::hostile
