# How everything is compiled. Results must not depend on the compiler: no -ffast-math, no fused
# multiply-add, no -march=native.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Paths relative to the checkout, so that one clone's objects serve the next one.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# Precompiled headers of libraries and the standard: half of a sanitizer build's time. Off elsewhere, so
# that a missing #include is noticed.
option(TOKENJOULE_PCH "precompile the headers of other libraries" OFF)
set(precompiled_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <filesystem> <functional> <map>
    <memory> <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>
    <tl/expected.hpp>)

add_compile_options(-ffp-contract=off)
if(TOKENJOULE_SANITIZE)
  add_compile_options(-fsanitize=${TOKENJOULE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TOKENJOULE_SANITIZE})
  if(TOKENJOULE_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # OpenSSL and Asio call through function pointers of other types.
    add_compile_options(-fno-sanitize=function)
  endif()
  if(TOKENJOULE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)  # coverage, which libFuzzer steers by
  endif()
  if(TOKENJOULE_SANITIZE MATCHES thread)
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()

# Warnings for our own code only; the libraries used are system headers.
add_library(tokenjoule_warnings INTERFACE)
target_compile_options(tokenjoule_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual
  -Wconversion -Wsign-conversion -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough)
if(TOKENJOULE_WERROR)
  target_compile_options(tokenjoule_warnings INTERFACE -Werror)
endif()
# Designated initialisers leave members at their defaults on purpose.
target_compile_options(tokenjoule_warnings INTERFACE -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these inside std::string and std::optional at -O2.
  target_compile_options(tokenjoule_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
