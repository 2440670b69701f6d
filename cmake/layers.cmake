# One folder of src/ is one layer: an object library, the layers it may use, and the tests next to its
# sources. A source X_module.cpp is not part of it: it is loaded by programs that need it. The edges are
# written to layers.txt, against which the test `layers` reads every #include.

file(WRITE ${CMAKE_BINARY_DIR}/layers.txt "")

function(daedalus_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|module)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  add_library(daedalus_${name} OBJECT ${sources})
  target_include_directories(daedalus_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                              PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(daedalus_${name} PRIVATE daedalus_flags ${LAYER_LIBRARIES})
  target_link_libraries(daedalus PRIVATE daedalus_${name} ${LAYER_LIBRARIES})
  string(REPLACE ";" " " uses "${LAYER_USES}")
  file(APPEND ${CMAKE_BINARY_DIR}/layers.txt "${name}: ${uses}\n")

  if(tests AND DAEDALUS_TESTS)
    daedalus_test(${name}_test SOURCES ${tests} LIBRARIES ${LAYER_LIBRARIES})
  endif()
endfunction()

function(daedalus_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE DAEDALUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE daedalus daedalus_flags fmt::fmt ${TEST_LIBRARIES}
                                        GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST)
endfunction()
