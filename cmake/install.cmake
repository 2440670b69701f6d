# What other projects use: the program, the library, its headers, and the package for find_package(daedalus).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(daedalus_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS daedalus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS daedalus_hdf5 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS daedalus EXPORT daedalus LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/daedalus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/daedalus.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/daedalus)
install(EXPORT daedalus NAMESPACE daedalus:: FILE daedalusConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(daedalusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/daedalusConfigVersion.cmake DESTINATION ${package_folder})
