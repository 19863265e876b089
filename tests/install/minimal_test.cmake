# Builds the smallest runtime, without the libraries that options leave out, and runs a program on it. What it links beside
# the libraries of C and C++ is at most three. Variables: SOURCE_DIR, WORK_DIR, COMPILER, LAUNCHER.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DTC_WITH_ONNX_WRITER=OFF -DTC_WITH_CODECS=OFF -DTC_WITH_RE2=OFF
  -DTC_WITH_ZIP=OFF -DTC_BUILD_TESTS=OFF -DTC_BUILD_PYTHON=OFF)
run(${CMAKE_COMMAND} --build ${WORK_DIR} --target tc_c tc-run)

find_program(readelf readelf REQUIRED)
foreach(file ${WORK_DIR}/doors/c/libtc_c.so ${WORK_DIR}/bin/tc-run)
  run(${readelf} -d ${file})
  string(REGEX MATCHALL "NEEDED[^[]*\\[[^]]+\\]" needed "${output}")
  list(FILTER needed EXCLUDE REGEX "\\[(libc|libm|libstdc\\+\\+|libgcc_s|libpthread|ld-linux-[a-z0-9-]+)\\.so")
  list(LENGTH needed count)
  message(STATUS "${file} needs ${count} libraries: ${needed}")
  if(count GREATER 3)
    message(FATAL_ERROR "more than three libraries")
  endif()
endforeach()

file(WRITE ${WORK_DIR}/relu.tc "graph @main(%x: f32[2]) {\n  %0 = relu %x : f32[2]\n  return %0\n}\n")
run(${WORK_DIR}/bin/tc-run ${WORK_DIR}/relu.tc --input x=2xf32=-3,4)
# What is left out says so.
execute_process(COMMAND ${WORK_DIR}/bin/tc-run ${WORK_DIR}/relu.tc --random --save ${WORK_DIR}/out.npz ERROR_VARIABLE error)
if(NOT error MATCHES "out.npz: this build of tc has no .npz files")
  message(FATAL_ERROR "--save in a build without libzip says: ${error}")
endif()
