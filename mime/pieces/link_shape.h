#pragma once

#include <string>

#include "mime/pieces/link.h"

namespace shingled::mime {

/// How the links of one program look, whatever host they lead to: steps of the path and names of
/// the query. Each run of digits is one 0; a step or name of 16 bytes and more with letters and
/// digits, or of 24 and more with capitals after its first letter, is `*`.
/// "http://a.example/cl/29_md/3/7?u=1" has "/cl/0_md/0/0?u".
///
/// Output:  empty for links of fewer than three steps and names, and of steps that are all alike
///          (0 and `*`): they say too little.
/// Threads: stateless.
/// Cost:    linear in the link.
std::string link_shape(const Link& link);

}  // namespace shingled::mime
