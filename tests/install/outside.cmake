# The CMakeLists.txt of a project that knows tc only as an installed package.
cmake_minimum_required(VERSION 3.25)
project(outside CXX)
find_package(tc 0.1 REQUIRED)
add_executable(outside outside.cc)
target_link_libraries(outside PRIVATE tc::tc)
