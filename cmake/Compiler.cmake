if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(EVA_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(EVA_NATIVE "Compile with -march=native (results must not change)" OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# Contraction would give one code path other bits than the next (docs/numerics.md).
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off)
if(EVA_SANITIZE)
  # The sanitizers confuse the flow analysis behind this warning (in Catch2's header).
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=address,undefined)
endif()
if(EVA_NATIVE)
  add_compile_options(-march=native)
endif()

# eva_add_library(NAME SOURCES… [LINK …]): a static library that sees the repository's folders.
function(eva_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/models")
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()
