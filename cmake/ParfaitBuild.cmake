# How every target of the project is compiled, and what a room (a folder of src/parfait) is.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # The sloppiness is what ccache asks for where precompiled headers are used.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

find_package(Boost 1.74 REQUIRED)  # headers: the distributions of Boost.Math
find_package(Eigen3 3.4 REQUIRED)
find_package(fmt REQUIRED)
find_package(pugixml REQUIRED)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS cvodes idas nvecserial sunmatrixdense sunlinsoldense)
find_package(TBB 2021.8 REQUIRED)
find_package(Clp REQUIRED)  # linear programs of the l1 and l-infinity norms
find_package(Threads REQUIRED)

# The instruction set decides the width of a lane and the alignment of Eigen's types, so whoever
# includes our headers must compile with the same: it travels with the libraries.
add_library(parfait_arch INTERFACE)
target_compile_options(parfait_arch INTERFACE -march=${PARFAIT_ARCH})
set_target_properties(parfait_arch PROPERTIES EXPORT_NAME arch)

# Ours alone. A Release is built with -O1 where nothing is computed (files, checks, the command line)
# and with CMake's -O3 where it is (PARFAIT_KERNELS): that makes a build 12 % shorter, and the
# kernels would lose 10 to 40 % at -O2.
set(PARFAIT_KERNELS math expr dynamics integrate mbs)
add_library(parfait_light_flags INTERFACE)
target_compile_options(parfait_light_flags INTERFACE $<$<CONFIG:Release>:-O1>)
add_library(parfait_flags INTERFACE)
target_link_libraries(parfait_flags INTERFACE parfait_arch)
target_compile_options(parfait_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
  # GCC 12 sees overlapping copies inside std::string where there are none (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(PARFAIT_SANITIZE)
  add_compile_options(-fsanitize=${PARFAIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PARFAIT_SANITIZE})
endif()

# parfait_room(<name> DEPS <rooms and libraries>): a library from all .cc files of the folder that are
# not tests, and a test program from its *_test.cc. PRIVATE_DEPS: libraries its headers do not show.
function(parfait_room name)
  cmake_parse_arguments(ROOM "" "" "DEPS;PRIVATE_DEPS;TEST_DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*_test.cc)
  list(REMOVE_ITEM sources ${tests} "")
  if(sources)
    set(visibility PUBLIC)
    add_library(parfait_${name} STATIC ${sources})
    target_link_libraries(parfait_${name} PRIVATE $<BUILD_INTERFACE:parfait_flags> ${ROOM_PRIVATE_DEPS})
    if(NOT name IN_LIST PARFAIT_KERNELS)
      target_link_libraries(parfait_${name} PRIVATE $<BUILD_INTERFACE:parfait_light_flags>)
    endif()
  else()
    set(visibility INTERFACE)
    add_library(parfait_${name} INTERFACE)
  endif()
  target_link_libraries(parfait_${name} ${visibility} ${ROOM_DEPS} parfait_arch)
  target_include_directories(parfait_${name} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  set_target_properties(parfait_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY PARFAIT_ROOMS parfait_${name})
  if(PARFAIT_TESTS AND tests)
    parfait_test(${name}_test SOURCES ${tests} DEPS parfait_${name} ${ROOM_TEST_DEPS})
  endif()
endfunction()

# Test programs spend their time in the libraries; -O1 for their own code compiles 20 to 30 % faster.
add_library(parfait_test_flags INTERFACE)
target_link_libraries(parfait_test_flags INTERFACE parfait_flags)
target_compile_options(parfait_test_flags INTERFACE
  $<$<CONFIG:Release>:-O1>
  # Tests that count allocations replace operator new, of which GCC inlines one half only; and behind
  # a precompiled header GCC 12 warns about std::string, which it would not do behind a system header.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete;-Wno-array-bounds;-Wno-stringop-overflow>
  $<$<AND:$<BOOL:${PARFAIT_PCH}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)  # for ccache

# parfait_test(<name> SOURCES <files> DEPS <libraries>): a GoogleTest program, each test known to ctest.
function(parfait_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_DEPS} parfait_test_flags GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE PARFAIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(PARFAIT_PCH)
    parfait_precompile_tests(${name})
  endif()
  # Tests that count allocations replace operator new by malloc, which is fine.
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${TEST_LABELS}"
    ENVIRONMENT "ASAN_OPTIONS=alloc_dealloc_mismatch=0")
endfunction()

# One precompiled header for all tests: GoogleTest and Eigen are most of what a test file reads. An
# executable carries it, because position-independent code differs between programs and libraries.
function(parfait_precompile_tests name)
  if(NOT TARGET parfait_test_pch)
    file(WRITE ${PROJECT_BINARY_DIR}/test_pch.cc "int main() {}\n")
    add_executable(parfait_test_pch ${PROJECT_BINARY_DIR}/test_pch.cc)
    target_link_libraries(parfait_test_pch PRIVATE parfait_test_flags Eigen3::Eigen GTest::gtest GTest::gmock)
    target_precompile_headers(parfait_test_pch PRIVATE <gtest/gtest.h> <gmock/gmock.h> <Eigen/Dense>)
  endif()
  target_link_libraries(${name} PRIVATE Eigen3::Eigen)
  target_precompile_headers(${name} REUSE_FROM parfait_test_pch)
endfunction()
