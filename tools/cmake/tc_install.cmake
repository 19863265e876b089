# Installation: the archive, the headers that a user may include, and a package for find_package(tc).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The packages of the libraries that a program has to link, too: CMake's, and pkg-config's.
set(packages ${tc_linked})
set(modules ${tc_linked})
list(FILTER packages EXCLUDE REGEX "^PkgConfig::")
list(FILTER modules INCLUDE REGEX "^PkgConfig::")
list(TRANSFORM modules REPLACE "^PkgConfig::" "")
list(JOIN modules " " TC_PKG_CONFIG_MODULES)
list(TRANSFORM packages REPLACE "::.*" "")
list(TRANSFORM packages REPLACE "^onnx(_proto)?$" "ONNX")
list(TRANSFORM packages REPLACE "^protobuf$" "Protobuf")
list(SORT packages COMPARE NATURAL ORDER DESCENDING)  # Protobuf before ONNX, whose targets link it
list(REMOVE_DUPLICATES packages)
list(JOIN packages " " TC_DEPENDENCIES)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tc)
install(TARGETS tc EXPORT tc_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tc_targets NAMESPACE tc:: FILE tc_targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tcConfig.cmake.in ${CMAKE_BINARY_DIR}/tcConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tcConfig.cmake ${CMAKE_BINARY_DIR}/tcConfigVersion.cmake DESTINATION ${package_dir})

install(FILES ${CMAKE_BINARY_DIR}/include/front/tc/tc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tc)
# The headers are the front door, the IR, what of the DSL is included by name, and everything of the tree that these include.
install(CODE "
  set(source_dir \"${CMAKE_SOURCE_DIR}\")
  set(include_dir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/tc_install_headers.cmake\")")
