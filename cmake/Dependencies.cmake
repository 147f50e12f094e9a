# Everything comes from Debian 12 packages; a missing one is named, nothing is downloaded.

function(eva_missing what package)
  message(FATAL_ERROR "${what} was not found. Install Debian package ${package} (scripts/run does it).")
endfunction()

# SystemC's library encodes the C++ standard it was built with in a symbol, so that any other
# standard fails at link time with an unreadable message. Refuse it here instead.
find_package(SystemCLanguage QUIET)
if(SystemCLanguage_FOUND)
  add_library(eva_systemc INTERFACE)
  target_link_libraries(eva_systemc INTERFACE SystemC::systemc)
  set(eva_systemc_standard "${SystemC_CXX_STANDARD}")
else()
  find_package(PkgConfig QUIET)
  if(NOT PkgConfig_FOUND)
    eva_missing("pkg-config" "pkg-config")
  endif()
  pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc)
  if(NOT SYSTEMC_FOUND)
    eva_missing("SystemC" "libsystemc-dev")
  endif()
  add_library(eva_systemc INTERFACE)
  target_link_libraries(eva_systemc INTERFACE PkgConfig::SYSTEMC)
  set(eva_systemc_standard 17)
endif()
add_library(eva::systemc ALIAS eva_systemc)
target_compile_definitions(eva_systemc INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)

if(NOT eva_systemc_standard)
  set(eva_systemc_standard 17)
endif()
if(DEFINED CMAKE_CXX_STANDARD AND NOT CMAKE_CXX_STANDARD EQUAL eva_systemc_standard)
  message(FATAL_ERROR "This SystemC library needs C++${eva_systemc_standard}: "
    "configure without CMAKE_CXX_STANDARD or with CMAKE_CXX_STANDARD=${eva_systemc_standard} "
    "(found ${CMAKE_CXX_STANDARD}).")
endif()
set(CMAKE_CXX_STANDARD ${eva_systemc_standard})
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

foreach(entry IN ITEMS
    "Boost|libboost-program-options-dev|COMPONENTS;program_options"
    "spdlog|libspdlog-dev|"
    "yaml-cpp|libyaml-cpp-dev|"
    "nlohmann_json|nlohmann-json3-dev|"
    "Threads|libc6-dev|")
  string(REPLACE "|" ";" parts "${entry}")
  list(GET parts 0 name)
  list(GET parts 1 package)
  list(SUBLIST parts 2 -1 arguments)
  list(FILTER arguments EXCLUDE REGEX "^$")
  find_package(${name} QUIET ${arguments})
  if(NOT ${name}_FOUND)
    eva_missing("${name}" "${package}")
  endif()
endforeach()
