# What `make install` puts into the prefix: the tool, the libraries, their headers, and the package
# files that make `find_package(parfait)` give the target parfait::parfait.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY PARFAIT_ROOMS)
add_library(parfait_all INTERFACE)
target_link_libraries(parfait_all INTERFACE ${rooms})
set_target_properties(parfait_all PROPERTIES EXPORT_NAME parfait)

install(TARGETS parfait RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS parfait_all ${rooms} parfait_arch EXPORT parfait
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/parfait DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "test_*.h" EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/parfait)
install(EXPORT parfait NAMESPACE parfait:: FILE parfait-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/parfait-config.cmake.in
  ${PROJECT_BINARY_DIR}/parfait-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parfait-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parfait-config.cmake
              ${PROJECT_BINARY_DIR}/parfait-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindClp.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake DESTINATION ${package_dir})
