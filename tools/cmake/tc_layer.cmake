# Layers of the library. `tc_layer` is the only way to add code to it, so the folder graph is the target graph.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # found in a layer's folder, linked by the library's
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # it would cost a table of addresses
endif()

add_library(tc_flags INTERFACE)
# clang's -Wshadow takes scoped enumerators for variables.
target_compile_options(tc_flags INTERFACE -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow> -Wconversion $<$<BOOL:${TC_WERROR}>:-Werror>
  # clang has not all of g++'s pragmas, says where a loop that should be unrolled is not, and takes types that may lie
  # anywhere for others.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas> $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-align-mismatch>)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  # Counts are int64_t everywhere, and of what fits memory.
  target_compile_options(tc_flags INTERFACE -Wno-shorten-64-to-32)
endif()
if(TC_SANITIZE)
  # g++ takes what it instruments for uninitialised.
  target_compile_options(tc_flags INTERFACE -fsanitize=${TC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(tc_flags INTERFACE -fsanitize=${TC_SANITIZE})
endif()

# tc_unity(TARGET [FILES]): compile its small files FILES (default 10) at a time. They spend most of their time on what
# they share: common headers, and the same instantiations.
option(TC_UNITY "Compile small files several at a time" ON)
set(TC_UNITY_FILES "" CACHE STRING "How many at a time, whatever the folder asks for")
function(tc_unity target)
  set(files 10)
  if(ARGC GREATER 1)
    set(files ${ARGV1})
  endif()
  if(TC_UNITY_FILES)
    set(files ${TC_UNITY_FILES})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TC_UNITY} UNITY_BUILD_BATCH_SIZE ${files})
  if(TC_UNITY)
    # g++ takes files that are included for headers.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# What runs once for a model is compiled for a quick build. What it has of the standard library's functions the linker
# may take for the library's calls, too, so that these must be inlined well: with tools at -O0 a loop of 20 steps takes
# 73 us, with these 25, mlp 7 and 5.
set(TC_QUICK_BUILD "")
if(NOT TC_SANITIZE)
  set(TC_QUICK_BUILD "$<$<CONFIG:Release>:-O1;-finline-small-functions>")
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
  # What is not a kernel is made small there: it is downloaded, and compiled when it is loaded.
  set(CMAKE_CXX_FLAGS_RELEASE "-Oz -DNDEBUG")
  set(TC_QUICK_BUILD "")
endif()

# tc_once(TARGET): its code runs once for a model, not once for an inference.
function(tc_once target)
  target_compile_options(${target} PRIVATE "${TC_QUICK_BUILD}")
endfunction()

set_property(GLOBAL PROPERTY TC_LAYERS "")

# tc_include_root(TARGET FOLDER NAME): the include root build/include/NAME/tc/FOLDER -> FOLDER, for TARGET and its users.
function(tc_include_root target folder name)
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  get_filename_component(parent ${root}/tc/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${root}/tc/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
endfunction()

# tc_layer(NAME FOLDER [SOURCES glob...] [DEPENDS layer...] [PRIVATE lib...])
#
# Makes the object library tc_NAME from the sources (default: FOLDER/*.cc, recursively) and an include root
# build/include/NAME/tc/FOLDER -> FOLDER, so that `#include "tc/FOLDER/x.h"` resolves only for targets that
# declare the dependency. PRIVATE libraries reach neither dependents' include paths nor installed headers.
function(tc_layer name folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;EXCLUDE;DEPENDS;PRIVATE" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES *.cc)
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/${folder}/)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARG_SOURCES})
  # What asks the system has one body per kind of system.
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL wasm32)
    list(APPEND ARG_EXCLUDE "_posix\\.cc$")
  else()
    list(APPEND ARG_EXCLUDE "_wasm\\.cc$")
  endif()
  foreach(pattern ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  if(NOT sources)
    set(sources ${CMAKE_BINARY_DIR}/empty.cc)
    file(TOUCH ${sources})
  endif()

  add_library(tc_${name} OBJECT ${sources})
  tc_include_root(tc_${name} ${folder} ${name})
  target_link_libraries(tc_${name} PRIVATE tc_flags ${ARG_PRIVATE})
  # Reading the headers of all ops takes longer than compiling most of our files.
  if(name STREQUAL ir)
    target_precompile_headers(tc_ir PRIVATE <algorithm> <memory> <optional> <unordered_map> "<tc/ir/builder.h>" "<tc/ir/infer.h>")
  elseif(ir IN_LIST ARG_DEPENDS)
    target_precompile_headers(tc_${name} REUSE_FROM tc_ir)
  endif()
  foreach(dep ${ARG_DEPENDS})
    # Headers only: objects of a layer are linked once, by the final library.
    target_include_directories(tc_${name} PUBLIC $<TARGET_PROPERTY:tc_${dep},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY TC_LAYERS ${name})
  set_property(GLOBAL APPEND PROPERTY TC_LAYER_LIBS ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY TC_LAYER_FOLDERS ${folder})
endfunction()

# tc_tier(LAYER FOLDER TIER FLAGS BASE): one more object library from FOLDER/**/*_tier.cc, compiled for one instruction set.
# Always -O3: the same register tile at plain -O2 ran at a third of the speed. Never LTO, no contraction, no exceptions:
# the code of a tier must stay in that tier's objects (tests/checks/tier_symbols.sh).
function(tc_tier layer folder tier flags base)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*_tier.cc)
  if(NOT sources)
    return()
  endif()
  set(target tc_${layer}_${tier})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:tc_${layer},INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${target} PRIVATE tc_flags)
  target_compile_definitions(${target} PRIVATE TC_TIER=${tier})
  # Instrumented register tiles take minutes to compile: one tier has them, since all come from the same source.
  set(optimise -O3)
  if(TC_SANITIZE)
    set(optimise -O1)
    if(NOT tier STREQUAL base)
      list(APPEND optimise -fno-sanitize=all)
    endif()
  endif()
  # g++ 12 takes the undefined operands inside its own AVX-512 intrinsics for uninitialised variables.
  target_compile_options(${target} PRIVATE ${flags} ${optimise} -ffp-contract=off -fno-lto -fno-exceptions -fno-math-errno
    -Wno-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  set_property(GLOBAL APPEND PROPERTY TC_TIER_TARGETS ${target})
endfunction()
