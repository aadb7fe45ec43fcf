# tokenjoule_embed(<library> FILES a.csv b.csv): puts the bytes of tables into the library, so that an
# installed or moved program still has them: `embedded_table(name)` of
# src/published/embedded_tables.hpp gives them.
function(tokenjoule_embed target)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(entries "")
  foreach(path ${ARG_FILES})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} bytes)
    get_filename_component(name ${path} NAME)
    string(APPEND entries "    {\"${name}\", R\"tokenjoule(${bytes})tokenjoule\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made by cmake/embed.cmake.
#include \"published/embedded_tables.hpp\"

namespace tokenjoule {

namespace {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
};

constexpr EmbeddedFile kFiles[] = {
@entries@};

}  // namespace

std::string_view embedded_table(std::string_view name) {
  for (const EmbeddedFile& file : kFiles) {
    if (file.name == name) return file.bytes;
  }
  return {};
}

}  // namespace tokenjoule
")
  target_sources(${target} PRIVATE ${source})
endfunction()
