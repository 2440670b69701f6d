# What other projects use: the program, the library, its headers, and the package for find_package(daedalus).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(daedalus_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS daedalus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS daedalus_hdf5 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS daedalus EXPORT daedalus LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The headers that users include, and what these include; the rest is for the library itself.
function(daedalus_with_included into)
  set(open ${ARGN})
  set(closure)
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST closure)
      continue()
    endif()
    list(APPEND closure ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/${header})
    file(STRINGS include/${header} lines REGEX "^#include \"daedalus/")
    string(REGEX MATCHALL "daedalus/[a-z0-9_/]+\\.hpp" included "${lines}")
    list(APPEND open ${included})
  endwhile()
  list(SORT closure)
  set(${into} ${closure} PARENT_SCOPE)
endfunction()

file(GLOB report_headers RELATIVE ${PROJECT_SOURCE_DIR}/include include/daedalus/report/*.hpp)
daedalus_with_included(public_headers daedalus/daedalus.hpp daedalus/engine/verify.hpp daedalus/hybrid/run.hpp
                       daedalus/integrate/integrator.hpp daedalus/methods/method.hpp ${report_headers})
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
list(JOIN public_headers "\n" public_headers)
file(WRITE ${CMAKE_BINARY_DIR}/public_headers.txt "${public_headers}\n")
install(FILES include/daedalus.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/daedalus)
install(EXPORT daedalus NAMESPACE daedalus:: FILE daedalusConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(daedalusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/daedalusConfigVersion.cmake DESTINATION ${package_folder})
