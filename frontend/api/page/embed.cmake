# Writes a page into a header, as one string: cmake -DPAGE=… -DHEADER=… -DNAME=… -P embed.cmake
file(READ ${PAGE} text)
string(LENGTH "${text}" length)
# Literals may be limited to 64 KB; parts are put together by the compiler.
set(parts "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 12000 part)
  string(APPEND parts "R\"page(${part})page\"\n")
  math(EXPR at "${at} + 12000")
endwhile()
file(WRITE ${HEADER} "#pragma once\n#include <string_view>\nnamespace tc {\ninline constexpr std::string_view ${NAME} = ${parts};\n}\n")
