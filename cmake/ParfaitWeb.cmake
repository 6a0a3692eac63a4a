# parfait_web(<target>): the script of web/, built with npm, esbuild and the TypeScript compiler, gzipped, and put
# into a target by .incbin. Where npm is missing or its packages cannot be fetched, everything else works:
# reports are static, and the tool says what is missing.
option(PARFAIT_WEB "Build the interactive part of reports and the viewer (needs npm)" ON)
find_program(NPM_PROGRAM npm)

function(parfait_web target)
  set(bundle ${PROJECT_BINARY_DIR}/web/parfait.js.gz)
  if(PARFAIT_WEB AND NPM_PROGRAM)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
    add_custom_command(OUTPUT ${bundle}
      COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-web ${NPM_PROGRAM} ${PROJECT_SOURCE_DIR}/web ${PROJECT_BINARY_DIR}/web
      DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/scripts/build-web ${PROJECT_SOURCE_DIR}/web/package.json
        ${PROJECT_SOURCE_DIR}/web/package-lock.json ${PROJECT_SOURCE_DIR}/web/tsconfig.json
      COMMENT "Building the web part" VERBATIM)
    set(reason "when this parfait was built, the packages of web/ could not be fetched.")
  else()
    file(WRITE ${bundle} "")
    if(PARFAIT_WEB)
      set(reason "this parfait was built without the web part, because npm was not found.")
      message(STATUS "npm was not found: reports will be static and there will be no viewer")
    else()
      set(reason "this parfait was built without the web part (PARFAIT_WEB=OFF).")
    endif()
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/web_bundle.cc)
  configure_file(report/web/bundle.cc.in ${made} @ONLY)
  set_source_files_properties(${made} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON OBJECT_DEPENDS ${bundle})
  target_sources(${target} PRIVATE ${made})
endfunction()
