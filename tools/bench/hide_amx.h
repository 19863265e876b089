#pragma once

namespace tc::bench {

// Has the kernel refuse AMX's state to this process and those that it starts, so that all engines run as on a machine
// without it. To be called before anything asks what the machine has. Throws where there is no such filter.
void hide_amx();

}  // namespace tc::bench
