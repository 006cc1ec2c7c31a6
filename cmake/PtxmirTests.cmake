# The tests, which ctest runs. They read files of the repository by their paths from its root, as under Bazel.

enable_testing()
find_package(GTest REQUIRED)

# What tests share.
add_library(ptxmir_test_support STATIC ${PTXMIR_TEST_SOURCES})
add_dependencies(ptxmir_test_support ${generated})
target_precompile_headers(ptxmir_test_support PRIVATE third_party/precompiled/test_headers.h)
target_link_libraries(ptxmir_test_support PUBLIC ptxmir ptxmir_build GTest::gmock)

# ptxmir_test(NAME PROGRAM target [SOURCES ...] [USES_TOOL] [ARGS ...]): a program of several tests has its sources at the
# first one. ptxmir_test(NAME SCRIPT file [ARGS ...]): a script.
function(ptxmir_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "USES_TOOL" "PROGRAM;SCRIPT" "SOURCES;ARGS")
  if(arg_USES_TOOL AND NOT TARGET ptxmir_tool)
    message(STATUS "${name} needs PTXMIR_BUILD_TOOLS")
    return()
  endif()
  set(command "${PROJECT_SOURCE_DIR}/${arg_SCRIPT}")
  if(arg_PROGRAM)
    set(command ${arg_PROGRAM})
  endif()
  if(arg_SOURCES)
    add_executable(${arg_PROGRAM} EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_precompile_headers(${arg_PROGRAM} REUSE_FROM ptxmir_test_support)
    target_link_libraries(${arg_PROGRAM} PRIVATE ptxmir_test_support GTest::gtest_main)
    set_property(TARGET ${arg_PROGRAM} PROPERTY RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/tests")
    set_property(GLOBAL APPEND PROPERTY ptxmir_test_programs ${arg_PROGRAM})
  endif()
  set(temporary "${CMAKE_CURRENT_BINARY_DIR}/tests/tmp/${name}")
  file(MAKE_DIRECTORY "${temporary}")
  add_test(NAME ${name} COMMAND ${command} ${arg_ARGS} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "TEST_TMPDIR=${temporary}")
endfunction()

ptxmir_add_tests()
get_property(programs GLOBAL PROPERTY ptxmir_test_programs)
add_custom_target(ptxmir_tests ALL DEPENDS ${programs})
