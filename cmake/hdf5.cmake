# The HDF5 library is linked into a separate module, which is loaded when a file first needs it.

add_library(daedalus_hdf5 MODULE src/report/hdf5/library_module.cpp)
target_include_directories(daedalus_hdf5 PRIVATE include src)
target_include_directories(daedalus_hdf5 SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
target_link_libraries(daedalus_hdf5 PRIVATE daedalus_flags ${HDF5_LIBRARY})
set_target_properties(daedalus_hdf5 PROPERTIES CXX_VISIBILITY_PRESET hidden)
target_compile_definitions(daedalus_report PRIVATE DAEDALUS_HDF5_MODULE="$<TARGET_FILE_NAME:daedalus_hdf5>")
target_link_libraries(daedalus PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(daedalus daedalus_hdf5)
