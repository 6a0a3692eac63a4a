# What `make install` puts into the prefix: the tool, the libraries, their headers, and the package
# files that make `find_package(parfait)` give the targets parfait::parfait and, for plug-ins, parfait::plugin.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY PARFAIT_ROOMS)
add_library(parfait_all INTERFACE)
target_link_libraries(parfait_all INTERFACE ${rooms})
set_target_properties(parfait_all PROPERTIES EXPORT_NAME parfait)

# A plug-in finds the library in the program that loads it: it needs headers and the instruction set alone.
add_library(parfait_plugin INTERFACE)
target_link_libraries(parfait_plugin INTERFACE parfait_arch Eigen3::Eigen)
target_include_directories(parfait_plugin INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
set_target_properties(parfait_plugin PROPERTIES EXPORT_NAME plugin)

install(TARGETS parfait RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS parfait_all parfait_plugin ${rooms} parfait_arch EXPORT parfait
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The public headers and what they include, no others: found when it is installed.
install(CODE "set(source ${PROJECT_SOURCE_DIR}/src)\nset(destination ${CMAKE_INSTALL_INCLUDEDIR})")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/parfait)
install(EXPORT parfait NAMESPACE parfait:: FILE parfait-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/parfait-config.cmake.in
  ${PROJECT_BINARY_DIR}/parfait-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parfait-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parfait-config.cmake
              ${PROJECT_BINARY_DIR}/parfait-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindClp.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindSBML.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindLua54.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake DESTINATION ${package_dir})
