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

# As many compilations at once as there are processors, and as memory allows for three gigabytes each.
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR slots "${memory} / 3000")
if(slots GREATER processors)
  set(slots ${processors})
elseif(slots LESS 1)
  set(slots 1)
endif()
set_property(GLOBAL PROPERTY JOB_POOLS compilations=${slots})
set(CMAKE_JOB_POOL_COMPILE compilations)

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

# Ours alone. A Release is built with CMake's -O3 where time is spent step by step (the KERNELS of a
# room), which would lose 10 to 40 % at -O2, and with -O1 everywhere else.
add_library(parfait_light_flags INTERFACE)
target_compile_options(parfait_light_flags INTERFACE $<$<CONFIG:Release>:-O1>)
add_library(parfait_flags INTERFACE)
target_link_libraries(parfait_flags INTERFACE parfait_arch)
target_compile_options(parfait_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
  # GCC 12 sees overlapping copies inside std::string where there are none (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<AND:$<BOOL:${PARFAIT_PCH}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>  # for ccache
  # Let the compiler fill two gigabytes before it looks for what it can give back: 15 % less time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=2000000>)
if(PARFAIT_SANITIZE)
  add_compile_options(-fsanitize=${PARFAIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PARFAIT_SANITIZE})
endif()

# parfait_room(<name> DEPS <rooms and libraries> KERNELS <names>): a library from all .cc files of the
# folder that are not tests, and a test program from its *_test.cc. KERNELS are the files compiled for
# speed, given without folder and .cc. PRIVATE_DEPS: libraries its headers do not show.
function(parfait_room name)
  cmake_parse_arguments(ROOM "" "" "DEPS;PRIVATE_DEPS;KERNELS;TEST_DEPS" ${ARGN})
  file(GLOB light CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*_test.cc)
  set(kernels ${ROOM_KERNELS})
  list(TRANSFORM kernels REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/${name}/\\1.cc")
  list(REMOVE_ITEM light ${tests} ${kernels} "")

  # Each half is compiled on its own, since a precompiled header belongs to one level of optimization.
  set(objects "")
  foreach(half light kernels)
    if(${half})
      add_library(parfait_${name}_${half} OBJECT ${${half}})
      target_link_libraries(parfait_${name}_${half} PRIVATE parfait_flags ${ROOM_DEPS} ${ROOM_PRIVATE_DEPS})
      target_include_directories(parfait_${name}_${half} PRIVATE ${PROJECT_SOURCE_DIR}/src)
      parfait_precompile(parfait_${name}_${half} ${half})
      list(APPEND objects $<TARGET_OBJECTS:parfait_${name}_${half}>)
    endif()
  endforeach()
  if(TARGET parfait_${name}_light)
    target_link_libraries(parfait_${name}_light PRIVATE parfait_light_flags)
    parfait_compile_together(parfait_${name}_light)
  endif()
  if(objects)
    set(visibility PUBLIC)
    add_library(parfait_${name} STATIC ${objects})
    set_target_properties(parfait_${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(parfait_${name} PRIVATE ${ROOM_PRIVATE_DEPS})
  else()
    set(visibility INTERFACE)
    add_library(parfait_${name} INTERFACE)
  endif()
  target_link_libraries(parfait_${name} ${visibility} ${ROOM_DEPS} parfait_arch)
  target_include_directories(parfait_${name} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  set_target_properties(parfait_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY PARFAIT_ROOMS parfait_${name})
  set_property(GLOBAL APPEND PROPERTY PARFAIT_OBJECTS ${objects})
  if(PARFAIT_TESTS AND tests)
    parfait_test(${name}_test SOURCES ${tests} DEPS parfait_${name} ${ROOM_TEST_DEPS})
  endif()
endfunction()

# parfait_compile_together(<target>): all files in one compilation, which then reads headers once and
# instantiates templates once. Names in the unnamed namespaces of a folder must therefore differ.
function(parfait_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PARFAIT_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# parfait_precompile(<target> light|kernels): the headers that most files of the rooms include, for one
# level of optimization: GCC compiles what it found in a precompiled header as that was compiled.
function(parfait_precompile target half)
  if(NOT PARFAIT_PCH)
    return()
  endif()
  if(NOT TARGET parfait_pch_${half})
    file(WRITE ${PROJECT_BINARY_DIR}/pch_${half}.cc "")
    add_library(parfait_pch_${half} OBJECT ${PROJECT_BINARY_DIR}/pch_${half}.cc)
    target_link_libraries(parfait_pch_${half} PRIVATE parfait_flags Eigen3::Eigen fmt::fmt)
    target_include_directories(parfait_pch_${half} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    if(half STREQUAL "light")
      target_link_libraries(parfait_pch_${half} PRIVATE parfait_light_flags)
    endif()
    target_precompile_headers(parfait_pch_${half} PRIVATE ${PROJECT_SOURCE_DIR}/src/parfait/math/dense_algebra.h <fmt/format.h> <algorithm> <array>
      <filesystem> <functional> <map> <memory> <optional> <span> <string> <variant> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM parfait_pch_${half})
endfunction()

# Test programs spend their time in the libraries; -O1 for their own code compiles 20 to 30 % faster.
add_library(parfait_test_flags INTERFACE)
target_link_libraries(parfait_test_flags INTERFACE parfait_flags)
target_compile_options(parfait_test_flags INTERFACE
  $<$<CONFIG:Release>:-O1>
  # Tests that count allocations replace operator new, of which GCC inlines one half only; and behind
  # a precompiled header GCC 12 warns about std::string, which it would not do behind a system header.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete;-Wno-array-bounds;-Wno-stringop-overflow>)


# parfait_test(<name> SOURCES <files> DEPS <libraries>): a GoogleTest program, each test known to ctest.
function(parfait_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${TEST_SOURCES})
  parfait_compile_together(${name})
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
    target_include_directories(parfait_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_precompile_headers(parfait_test_pch PRIVATE <gtest/gtest.h> <gmock/gmock.h> ${PROJECT_SOURCE_DIR}/src/parfait/math/dense_algebra.h)
  endif()
  target_link_libraries(${name} PRIVATE Eigen3::Eigen)
  target_precompile_headers(${name} REUSE_FROM parfait_test_pch)
endfunction()
