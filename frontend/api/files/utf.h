// UTF-8 to and from code points. Surrogates and values beyond U+10FFFF are invalid, as are overlong forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tc {

// Appends the code point; false when it is invalid.
bool append_utf8(std::string& out, uint32_t code_point);
// Nothing when the text is not valid UTF-8.
std::optional<std::u32string> decode_utf8(std::string_view text);

}  // namespace tc
