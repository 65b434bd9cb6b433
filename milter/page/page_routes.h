#pragma once

#include <vector>

#include "milter/api/route.h"

namespace shingled::milter::page {

/// What people look at (http.page):
///
///   GET /               the page
///   GET /page/{file}    its style sheet, its modules, Chart.js
///
/// Anybody may read them: they have nothing of this site. What the page shows it asks the API for,
/// with the rights of the person who looks.
///
/// Its content is sent compressed (gzip), as every browser takes it. A browser may keep a file, but
/// asks each time whether it has changed. The page runs no script and loads nothing but these files
/// (Content-Security-Policy), and no other page may frame it.
/// Threads: stateless.
std::vector<api::Route> page_routes();

}  // namespace shingled::milter::page
