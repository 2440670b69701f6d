# The report's page: npm fetches the packages of package-lock.json into the build tree, web/build.mjs makes one
# HTML file of them and writes that as a C++ source, which is embedded in the library.

find_program(NODE_PROGRAM node REQUIRED)
find_program(NPM_PROGRAM npm REQUIRED)

# Installs the packages that `source`'s lock file names into `folder`; `stamp` is newer than the last change to them.
function(daedalus_npm_packages source folder stamp)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/package.json ${source}/package-lock.json ${folder}
    COMMAND ${CMAKE_COMMAND} -E chdir ${folder} ${NPM_PROGRAM} ci --ignore-scripts --no-audit --no-fund
            --prefer-offline --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${source}/package.json ${source}/package-lock.json
    COMMENT "Fetching the npm packages of ${folder}"
    VERBATIM)
endfunction()

set(web ${PROJECT_SOURCE_DIR}/web)
set(page_folder ${CMAKE_BINARY_DIR}/web)
set(page_source ${page_folder}/page.cpp)
file(GLOB page_assets CONFIGURE_DEPENDS ${web}/*.html ${web}/*.css ${web}/*.js ${web}/*.mjs)

daedalus_npm_packages(${web} ${page_folder} ${page_folder}/packages.stamp)
add_custom_command(
  OUTPUT ${page_source}
  COMMAND ${NODE_PROGRAM} ${web}/build.mjs ${page_folder} ${page_source}
  DEPENDS ${page_assets} ${page_folder}/packages.stamp
  COMMENT "Building the report's page"
  VERBATIM)

add_library(daedalus_page OBJECT ${page_source})
target_include_directories(daedalus_page PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(daedalus_page PRIVATE daedalus_flags)
