# Debian packages, one per component: cpack -G DEB, or ./dev package.
include(GNUInstallDirs)
set(CPACK_PACKAGE_NAME tc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "tc maintainers <tc@packages.debian.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tensor compiler for CPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_COMPONENTS_ALL "")

# tc_package(COMPONENT NAME TEXT): the package, with its copyright and changelog.
function(tc_package component name text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${text}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(doc ${CMAKE_INSTALL_DATADIR}/doc/${name})
  install(FILES ${CMAKE_BINARY_DIR}/package/copyright ${CMAKE_BINARY_DIR}/package/changelog.gz DESTINATION ${doc}
    COMPONENT ${component})
endfunction()

string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/changelog @ONLY CONTENT "tc (@PROJECT_VERSION@) unstable; urgency=medium

  * CHANGELOG.md of the sources says what is new.

 -- @CPACK_PACKAGE_CONTACT@  @date@
")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/copyright CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2026 the authors of tc
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/package/changelog)

if(TARGET tc_c)
  tc_package(runtime libtc
    "Loads, compiles, runs, trains and exports ONNX models. This package has the\nshared library with the interface for C.")
  # What packages of programs that link it depend on.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/shlibs CONTENT "libtc_c 1 libtc (>= ${PROJECT_VERSION})\n")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/triggers CONTENT "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/package/shlibs ${CMAKE_BINARY_DIR}/package/triggers)
  tc_package(development libtc-dev
    "Headers and libraries for programs in C++ (an archive) and C (a shared library)\nthat use tc, for CMake and pkg-config.")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtc (= ${PROJECT_VERSION})")
endif()
if(TARGET tc-run)
  tc_package(tools tc-tools
    "tc-run runs ONNX models, tc-opt optimises them, tc-info describes them, tc-serve\nserves them over HTTP, and tc-bench compares engines.")
endif()
if(TARGET tc_onnxruntime)
  tc_package(onnxruntime tc-onnxruntime
    "tc-ort runs programs that use ONNX Runtime on tc instead. libtc_ep.so is an\nexecution provider that ONNX Runtime loads.")
endif()
if(TARGET tc_python)
  tc_package(python python3-tc
    "ONNX models by the interface of onnxruntime, and arrays, compiled functions,\ngradients and export by one like NumPy's.")
  math(EXPR next "${TC_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${TC_PYTHON_MINOR}), python3 (<< 3.${next}), python3-numpy")
endif()
include(CPack)
