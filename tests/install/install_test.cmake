# Installs the build into a fresh folder, then configures, builds and runs an outside project against it, and compiles
# all installed headers with nothing else in sight. Variables: BUILD_DIR, COMPILER, LAUNCHER.
set(work ${BUILD_DIR}/install_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/outside.cmake ${work}/project/CMakeLists.txt COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/outside.cc ${work}/project/outside.cc COPYONLY)
run(${CMAKE_COMMAND} -S ${work}/project -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/outside)

# What the headers include is installed, too.
file(GLOB_RECURSE headers RELATIVE ${work}/prefix/include ${work}/prefix/include/*.h)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers were installed")
endif()
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
file(WRITE ${work}/all_headers.cc ${includes})
run(${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I${work}/prefix/include ${work}/all_headers.cc)
foreach(header ${headers})
  if(IS_SYMLINK ${work}/prefix/include/${header})
    message(FATAL_ERROR "${header} is a link, not a file")
  endif()
endforeach()
