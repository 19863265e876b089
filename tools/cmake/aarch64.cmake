# Toolchain file for Arm machines of 64 bits, by Debian's cross compiler: `./dev arm` makes the folder that the libraries
# are found in, and gives it as TC_SYSROOT. Programs run under qemu-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(TC_SYSROOT "${CMAKE_BINARY_DIR}/sysroot" CACHE PATH "Debian's arm64 packages, unpacked")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TC_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${TC_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
# Headers alone, such as Eigen's, are the same everywhere.
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TC_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${TC_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)

set(libraries ${TC_SYSROOT}/usr/lib/aarch64-linux-gnu ${TC_SYSROOT}/lib/aarch64-linux-gnu)
foreach(folder ${libraries})
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,${folder}")
  string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " -Wl,-rpath-link,${folder}")
endforeach()
list(JOIN libraries : libraries)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${libraries})
