# What the library is linked with. The build and the installed package (ptxmirConfig.cmake) both include this.

include(CMakeFindDependencyMacro)
find_dependency(absl)
find_dependency(Threads)

# re2 is installed with a package of CMake's by some, and without by others (Debian 12).
if(NOT TARGET ptxmir::re2)
  add_library(ptxmir::re2 INTERFACE IMPORTED)
  find_package(re2 CONFIG QUIET)
  if(re2_FOUND)
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
