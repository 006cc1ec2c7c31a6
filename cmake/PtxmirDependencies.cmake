# What the library is linked with. The build and the installed package (ptxmirConfig.cmake) both include this. A program
# that has Abseil and re2 already (absl::strings, re2::re2), by FetchContent for instance, links ptxmir with those.

set(PTXMIR_ABSL_TARGETS
  absl::flat_hash_map absl::flat_hash_set absl::function_ref absl::hash absl::inlined_vector absl::int128 absl::span
  absl::status absl::statusor absl::str_format absl::strings)

if(CMAKE_FIND_PACKAGE_NAME STREQUAL "ptxmir")
  include(CMakeFindDependencyMacro)
  if(NOT TARGET absl::strings)
    find_dependency(absl)
  endif()
  find_dependency(Threads)
else()
  if(NOT TARGET absl::strings)
    find_package(absl REQUIRED)
  endif()
  find_package(Threads REQUIRED)
endif()

# re2 is installed with a package of CMake's by some, and without by others (Debian 12).
if(NOT TARGET ptxmir::re2)
  if(NOT TARGET re2::re2)
    find_package(re2 CONFIG QUIET)
  endif()
  add_library(ptxmir::re2 INTERFACE IMPORTED)
  if(TARGET re2::re2)
    target_link_libraries(ptxmir::re2 INTERFACE re2::re2)
  else()
    find_path(PTXMIR_RE2_INCLUDE_DIR re2/re2.h)
    find_library(PTXMIR_RE2_LIBRARY re2)
    mark_as_advanced(PTXMIR_RE2_INCLUDE_DIR PTXMIR_RE2_LIBRARY)
    if(NOT PTXMIR_RE2_INCLUDE_DIR OR NOT PTXMIR_RE2_LIBRARY)
      message(FATAL_ERROR "ptxmir needs re2 (Debian: libre2-dev)")
    endif()
    target_include_directories(ptxmir::re2 SYSTEM INTERFACE "${PTXMIR_RE2_INCLUDE_DIR}")
    target_link_libraries(ptxmir::re2 INTERFACE "${PTXMIR_RE2_LIBRARY}")
  endif()
endif()
