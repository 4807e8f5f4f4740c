# The two shapes of target in this project: a module (a folder of src) and the tests of one.

add_library(dsbuild_settings INTERFACE)
target_compile_features(dsbuild_settings INTERFACE cxx_std_20)
target_compile_options(dsbuild_settings INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # "literal" + std::string at -O2: https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651
  target_compile_options(dsbuild_settings INTERFACE -Wno-restrict)
endif()
if(DSBUILD_WERROR)
  target_compile_options(dsbuild_settings INTERFACE -Werror)
endif()
if(DSBUILD_SANITIZE)
  target_compile_options(dsbuild_settings INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(dsbuild_settings INTERFACE -fsanitize=address,undefined)
endif()
target_include_directories(dsbuild_settings INTERFACE "${PROJECT_SOURCE_DIR}/src")

# dsbuild_module(NAME SOURCES file... USES target...): the static library dsbuild_NAME.
function(dsbuild_module name)
  cmake_parse_arguments(M "" "" "SOURCES;USES" ${ARGN})
  add_library(dsbuild_${name} STATIC ${M_SOURCES})
  target_link_libraries(dsbuild_${name} PUBLIC dsbuild_settings ${M_USES})
endfunction()

# dsbuild_test(NAME SOURCES file... USES target...): the program test_NAME, a CTest of that name.
function(dsbuild_test name)
  cmake_parse_arguments(T "" "" "SOURCES;USES" ${ARGN})
  add_executable(test_${name} ${T_SOURCES})
  target_link_libraries(test_${name} PRIVATE catch_main dsbuild_settings ${T_USES})
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(test_${name} PRIVATE
    DSBUILD_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DSBUILD_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # The tests' own code is compiled once and run once: optimising it takes longer than it saves.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
