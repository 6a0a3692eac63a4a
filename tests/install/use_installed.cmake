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
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/examples/use_library -B ${WORK}/build
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/use_parfait ${SOURCE}/examples/six_bar/six_bar.xml)
# P4 of the IFToMM benchmark A04 starts at (0, -1, 1) and is far from there after one second.
if(NOT out MATCHES "finished at t = 1 s after [0-9]+ steps; last origin \\(")
  message(FATAL_ERROR "unexpected output: ${out}")
endif()
run(${WORK}/prefix/bin/parfait --version)
if(NOT out MATCHES "^parfait [0-9]+\\.[0-9]+\\.[0-9]+")
  message(FATAL_ERROR "unexpected version: ${out}")
endif()
message(STATUS "${out}")
