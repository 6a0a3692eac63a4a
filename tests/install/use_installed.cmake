# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P use_installed.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
function(build folder source)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${source} -B ${WORK}/${folder}
      -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=${FLAGS} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${folder})
endfunction()

# The programs check their own answers.
build(use ${SOURCE}/examples/use_library)
run(${WORK}/use/simulate)
run(${WORK}/use/fit)
# What is not needed by the public headers is not installed.
foreach(header parfait/run/simulation/recorder.h parfait/io/results/json_archive.h parfait/mbs/solver/kernel.h)
  if(EXISTS ${WORK}/prefix/include/${header})
    message(FATAL_ERROR "${header} is installed, but not public")
  endif()
endforeach()
build(plugin ${SOURCE}/tests/install/plugin -DPLUGIN=${SOURCE}/tests/cli/plugin.cc
      -DELEMENTS=${SOURCE}/tests/support)
run(${WORK}/prefix/bin/parfait elements --plugin ${WORK}/plugin/libplanar_contact.so)
if(NOT out MATCHES "PlanarContact")
  message(FATAL_ERROR "the plug-in is not there: ${out}")
endif()
run(${WORK}/prefix/bin/parfait --version)
if(NOT out MATCHES "^parfait [0-9]+\\.[0-9]+\\.[0-9]+")
  message(FATAL_ERROR "unexpected version: ${out}")
endif()
message(STATUS "${out}")
