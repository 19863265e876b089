#include "tc/tools/bench/hide_amx.h"

#include <cerrno>
#include <cstring>

#include "tc/ir/diag.h"

#if defined(__linux__) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <iterator>
#endif

namespace tc::bench {

void hide_amx() {
#if defined(__linux__) && defined(__x86_64__)
  // Programs ask for the tiles' state by arch_prctl(ARCH_REQ_XCOMP_PERM, ...).
  constexpr unsigned kRequestPermission = 0x1023;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRequestPermission, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {.len = std::size(filter), .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    fail(ErrorCode::bad_argument, "--without-amx: the system takes no filter: ", std::strerror(errno));
#else
  fail(ErrorCode::bad_argument, "--without-amx needs Linux on x86-64");
#endif
}

}  // namespace tc::bench
