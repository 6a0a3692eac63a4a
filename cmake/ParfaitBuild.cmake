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
find_package(nlohmann_json REQUIRED)  # results as JSON
find_package(pugixml REQUIRED)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS cvodes idas nvecserial sunmatrixdense sunlinsoldense)
find_package(TBB 2021.8 REQUIRED)
find_package(Clp REQUIRED)  # linear programs of the l1 and l-infinity norms
find_package(KLU REQUIRED)  # sparse systems of the integrator hht
find_package(SBML REQUIRED)  # models of systems biology
find_package(yaml-cpp REQUIRED)  # PEtab problems
find_package(Lua54 REQUIRED)  # LuaModel files
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)  # what reports carry along
if(PARFAIT_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# The instruction set decides the width of a lane and the alignment of Eigen's types, so whoever
# includes our headers must compile with the same: it travels with the libraries.
add_library(parfait_arch INTERFACE)
target_compile_options(parfait_arch INTERFACE -march=${PARFAIT_ARCH})
set_target_properties(parfait_arch PROPERTIES EXPORT_NAME arch)

# Ours alone. A Release is built with CMake's -O3 where time is spent step by step (the KERNELS of a
# room), which would lose 10 to 40 % at -O2, with -O1 in the rest of the computing rooms, and with -Og in what
# spends its time in them: the outer rooms (files, reports, runs), the tool and the tests; a third less to compile.
add_library(parfait_flags INTERFACE)
target_link_libraries(parfait_flags INTERFACE parfait_arch)
target_compile_options(parfait_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
  # GCC 12 sees overlapping copies inside std::string where there are none (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Let the compiler fill two gigabytes before it looks for what it can give back: 15 % less time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=2000000>)
if(NOT PARFAIT_ARCH STREQUAL "x86-64-v3")
  # The intrinsics for AVX-512 of GCC 12, which Eigen uses, read what nobody has written, on purpose (GCC bug 105593).
  target_compile_options(parfait_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>)
endif()
set(PARFAIT_light_LEVEL -O1)
set(PARFAIT_outer_LEVEL -Og)
set(PARFAIT_tests_LEVEL -Og)
if(PARFAIT_SANITIZE)
  add_compile_options(-fsanitize=${PARFAIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Behind the sanitizers' own code GCC 12 takes std::regex for uninitialized (GCC bug 105562).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizers.txt>)
  add_link_options(-fsanitize=${PARFAIT_SANITIZE})
endif()

# parfait_room(<name> DEPS <rooms and libraries> KERNELS <names>): a library from all .cc files of the
# folder and its subfolders that are not tests; its *_test.cc go to the test program TESTS. KERNELS are the
# files compiled for speed, given without folder and .cc. PRIVATE_DEPS: libraries its headers do not show.
# OUTER: it does not compute, it reads, writes and asks others to compute.
function(parfait_room name)
  cmake_parse_arguments(ROOM "OUTER" "" "DEPS;PRIVATE_DEPS;KERNELS;TESTS;TEST_DEPS" ${ARGN})
  file(GLOB_RECURSE light CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*_test.cc)
  set(kernels "")
  foreach(kernel ${ROOM_KERNELS})
    set(found ${light})
    list(FILTER found INCLUDE REGEX "/${kernel}\\.cc$")
    list(LENGTH found count)
    if(NOT count EQUAL 1)
      message(FATAL_ERROR "room ${name}: ${count} files are called ${kernel}.cc; a kernel is one file.")
    endif()
    list(APPEND kernels ${found})
  endforeach()
  list(REMOVE_ITEM light ${tests} ${kernels} "")

  set(objects "")
  foreach(half kernels light)  # in this order: of an inline function in both, the linker takes the first
    if(${half})
      add_library(parfait_${name}_${half} OBJECT ${${half}})
      target_link_libraries(parfait_${name}_${half} PRIVATE ${ROOM_DEPS} ${ROOM_PRIVATE_DEPS})
      target_include_directories(parfait_${name}_${half} PRIVATE ${PROJECT_SOURCE_DIR}/src)
      list(APPEND objects $<TARGET_OBJECTS:parfait_${name}_${half}>)
    endif()
  endforeach()
  if(light)
    if(ROOM_OUTER)
      parfait_compile(parfait_${name}_light outer)
    else()
      parfait_compile(parfait_${name}_light light)
    endif()
  endif()
  if(kernels)
    target_link_libraries(parfait_${name}_kernels PRIVATE parfait_flags)
    parfait_compile_together(parfait_${name}_kernels)
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
    parfait_test(${ROOM_TESTS} SOURCES ${tests} DEPS parfait_${name} ${ROOM_TEST_DEPS})
  endif()
endfunction()

# parfait_compile_together(<target>): all files in one compilation, which then reads headers once and
# instantiates templates once. Names in the unnamed namespaces of a folder must therefore differ.
function(parfait_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PARFAIT_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# parfait_compile(<target> light|outer|tests): all files together, at the level of optimization of the
# library's light half, of its outer rooms or of the tests, behind the headers that are precompiled for it.
function(parfait_compile target kind)
  parfait_compile_together(${target})
  if(PARFAIT_PCH)
    parfait_precompile(${kind})
    target_precompile_headers(${target} REUSE_FROM parfait_pch_${kind})
  endif()
  parfait_level(${target} ${kind})
endfunction()

# What a target and its precompiled header must have in common.
function(parfait_level target kind)
  target_link_libraries(${target} PRIVATE parfait_flags Eigen3::Eigen fmt::fmt)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${PARFAIT_${kind}_LEVEL}>
    -fPIC  # programs too: one precompiled header serves them and libraries
    $<$<AND:$<BOOL:${PARFAIT_PCH}>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)  # for ccache
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # no -fPIE beside -fPIC
  if(kind STREQUAL "tests")
    # Tests that count allocations replace operator new, of which GCC inlines one half only; and behind
    # a precompiled header GCC 12 warns about std::string, which it would not do behind a system header.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete;-Wno-array-bounds;-Wno-stringop-overflow>)
    target_link_libraries(${target} PRIVATE GTest::gtest GTest::gmock)
  endif()
endfunction()

# The headers that most files read, precompiled once for each level of optimization: GCC compiles what
# it found in a precompiled header as the header was compiled.
function(parfait_precompile kind)
  if(TARGET parfait_pch_${kind})
    return()
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/pch_${kind}.cc "")
  add_library(parfait_pch_${kind} OBJECT ${PROJECT_BINARY_DIR}/pch_${kind}.cc)
  parfait_level(parfait_pch_${kind} ${kind})
  target_include_directories(parfait_pch_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_precompile_headers(parfait_pch_${kind} PRIVATE
    ${PROJECT_SOURCE_DIR}/src/parfait/math/dense_products.h <fmt/format.h> <algorithm> <array> <filesystem>
    <functional> <map> <memory> <optional> <span> <string> <variant> <vector>)
  if(kind STREQUAL "tests")
    target_precompile_headers(parfait_pch_${kind} PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
  endif()
endfunction()

# parfait_test(<name> SOURCES <files> DEPS <libraries>): a GoogleTest program, each test known to ctest. A
# second call adds to the program: tests that are about similar things are compiled together, which is
# quicker by a fifth than apart.
function(parfait_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS" ${ARGN})
  if(TARGET ${name})
    target_sources(${name} PRIVATE ${TEST_SOURCES})
    target_link_libraries(${name} PRIVATE ${TEST_DEPS})
    return()
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_DEPS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE PARFAIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  parfait_compile(${name} tests)
  # Tests that count allocations replace operator new by malloc, which is fine.
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES
    ENVIRONMENT "ASAN_OPTIONS=alloc_dealloc_mismatch=0")
endfunction()
