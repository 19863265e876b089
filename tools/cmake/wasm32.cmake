# Toolchain: WebAssembly with 128-bit vectors, by Debian's clang, lld and wasi-libc.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
# Conversions of fractions beyond an integer's range saturate by an instruction; a branch would guard the one that traps.
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fwasm-exceptions -mnontrapping-fptoint -mbulk-memory -msign-ext")
# A program for the target needs the exceptions of doors/wasm/runtime.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Libraries of headers are the host's.
list(APPEND CMAKE_SYSTEM_PREFIX_PATH /usr)
# Where Debian's C++ library lacks something.
include_directories(BEFORE SYSTEM ${CMAKE_CURRENT_LIST_DIR}/../../doors/wasm/runtime/include)
