#!/usr/bin/env python3
"""Writes the files of the page as C++: embed.py OUT FOLDER [CHART_JS]

Each is compressed once, here, and has an ETag of its content. What comes out depends on the content alone, so that a
build can be repeated. The page is small, and stays small: more than COMPRESSED_MAX is an error.
"""

import gzip
import hashlib
import pathlib
import re
import sys

COMPRESSED_MAX = 120 * 1024
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
NUMBERS_A_LINE = 32
NO_CHART = b"// Built without Chart.js: tables stand for the plots.\nglobalThis.Chart = null;\n"


def lean(name, content):
    """Without comments and indentation of our own modules and styles: no text in them has more than one line."""
    if name == "chart.js" or not name.endswith((".js", ".css")):
        return content
    lines = [line.strip() for line in content.decode().splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith(("// ", "/// "))).encode() + b"\n"


def cpp_array(name, content):
    lines = [f"constexpr unsigned char {name}[] = {{"]
    for start in range(0, len(content), NUMBERS_A_LINE):
        lines.append(",".join(map(str, content[start:start + NUMBERS_A_LINE])) + ",")
    return "\n".join([*lines, "};"])


def main():
    out, folder = map(pathlib.Path, sys.argv[1:3])
    files = {path.relative_to(folder).as_posix(): path.read_bytes()
             for path in sorted(folder.rglob("*")) if path.suffix in TYPES}
    files["chart.js"] = pathlib.Path(sys.argv[3]).read_bytes() if len(sys.argv) > 3 else NO_CHART
    version = re.search(rb"Chart\.js v([0-9.]+)", files["chart.js"][:300])
    if len(sys.argv) > 3 and version is None:
        sys.exit(f"{sys.argv[3]}: does not say 'Chart.js vN' at its beginning")
    arrays, rows, total = [], [], 0
    for number, (name, content) in enumerate(files.items()):
        content = lean(name, content)
        packed = gzip.compress(content, 9, mtime=0)
        total += len(packed)
        tag = hashlib.sha256(content).hexdigest()[:16]
        arrays.append(cpp_array(f"kFile{number}", packed))
        rows.append(f'    {{"{name}", "{TYPES[pathlib.PurePath(name).suffix]}", "\\"{tag}\\"",\n'
                    f"     {{reinterpret_cast<const char*>(kFile{number}), sizeof kFile{number}}}}},")
    if total > COMPRESSED_MAX:
        sys.exit(f"the page has {total} bytes compressed; at most {COMPRESSED_MAX} are allowed")
    out.write_text("\n".join([
        "// Made by milter/page/embed.py.", '#include "milter/page/page_file.h"', "", "#include <array>", "",
        "namespace shingled::milter::page {", "namespace {", "", *arrays, "",
        f"const std::array<PageFile, {len(files)}> kFiles = {{{{", *rows, "}};", "", "}  // namespace", "",
        "std::span<const PageFile> page_files() { return kFiles; }",
        f'std::string_view chart_version() {{ return "{version[1].decode() if version else ""}"; }}', "",
        "}  // namespace shingled::milter::page", ""]))


if __name__ == "__main__":
    main()
