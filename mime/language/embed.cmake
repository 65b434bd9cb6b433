# Writes OUTPUT, a C++ source with the files of FILES in it. Run as: cmake -DOUTPUT=... -DFILES=a;b -P embed.cmake
set(cases "")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(name ${file} NAME)
  string(APPEND cases "  if (name == \"${name}\") return R\"~~(${content})~~\";\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by mime/language/embed.cmake from mime/language/data.
#include \"mime/language/stop_words.h\"

namespace shingled::mime {

std::string_view embedded_file(std::string_view name) {
${cases}  return {};
}

}  // namespace shingled::mime
")
