# cmake -D OUT=file -D "FILES=tests/a_test.cpp;..." -P tests/together.cmake, in the top folder: writes one translation unit
# with the text of all these tests. The last unnamed namespace of each becomes a named one, so that two files may give one
# name to two things; #line keeps the places of errors. See shingled_together() in tests/CMakeLists.txt.
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} one)
  string(MAKE_C_IDENTIFIER ${file} name)
  string(FIND "${one}" "\nnamespace {\n" begin REVERSE)
  if(begin GREATER -1)
    math(EXPR rest "${begin} + 13")
    string(SUBSTRING "${one}" 0 ${begin} head)
    string(SUBSTRING "${one}" ${rest} -1 tail)
    set(one "${head}\nnamespace ${name} {\n${tail}")
  endif()
  string(APPEND text "#line 1 \"${file}\"\n${one}\n")
endforeach()
file(WRITE ${OUT} "${text}")
