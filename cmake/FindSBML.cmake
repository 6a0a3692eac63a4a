# libSBML: gives SBML::SBML. (Its own CMake package asks for the libraries that it was built with.)
find_path(SBML_INCLUDE_DIR sbml/SBMLTypes.h)
find_library(SBML_LIBRARY sbml)
mark_as_advanced(SBML_INCLUDE_DIR SBML_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SBML REQUIRED_VARS SBML_LIBRARY SBML_INCLUDE_DIR)
if(SBML_FOUND AND NOT TARGET SBML::SBML)
  add_library(SBML::SBML UNKNOWN IMPORTED)
  set_target_properties(SBML::SBML PROPERTIES
    IMPORTED_LOCATION ${SBML_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SBML_INCLUDE_DIR})
endif()
