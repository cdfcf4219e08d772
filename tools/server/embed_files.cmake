# Usage: cmake -DPAGE=FOLDER -DDOCUMENT=FILE -DOUT=FILE -P embed_files.cmake
# Writes OUT, a C++ source file. Its assembler directives embed the page's files, in bytewise order of their paths, and
# the API document.
file(GLOB_RECURSE files RELATIVE ${PAGE} ${PAGE}/*)
list(SORT files COMPARE STRING)
set(blobs "")
set(externs "")
set(table "")
set(number 0)
macro(embed file)
  # Only the assembler reads the embedded file, so a compiler cache would not notice a change. With the digest, the
  # source changes whenever the file changes.
  file(SHA256 ${file} digest)
  string(APPEND blobs "    // ${digest}\n"
                      "    \".balign 16\\nmanyply_file_${number}: .incbin \\\"${file}\\\"\\n\"\n"
                      "    \"manyply_file_${number}_end: .byte 0\\n\"\n")
  string(APPEND externs "extern const char file_${number}[] asm(\"manyply_file_${number}\");\n"
                        "extern const char file_${number}_end[] asm(\"manyply_file_${number}_end\");\n")
endmacro()
foreach(path IN LISTS files)
  embed(${PAGE}/${path})
  string(APPEND table "    EmbeddedFile{\"${path}\", {file_${number}, bytes(file_${number}, file_${number}_end)}},\n")
  math(EXPR number "${number} + 1")
endforeach()
embed(${DOCUMENT})
list(LENGTH files count)
file(WRITE ${OUT} "// Written by embed_files.cmake.
#include \"tools/server/routes.h\"

#include <array>
#include <cstddef>

asm(\".section .rodata\\n\"
${blobs}    \".previous\\n\");

namespace manyply {
${externs}
static std::size_t bytes(const char* begin, const char* end) { return static_cast<std::size_t>(end - begin); }

std::span<const EmbeddedFile> page_files() {
  static const std::array<EmbeddedFile, ${count}> files{{
${table}  }};
  return files;
}

std::string_view openapi_document() {
  return {file_${number}, bytes(file_${number}, file_${number}_end)};
}

}  // namespace manyply
")
