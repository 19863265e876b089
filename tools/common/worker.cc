#include "tc/tools/common/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tc/ir/diag.h"

extern char** environ;

namespace tc {

Worker::Worker(std::string program, std::vector<std::string> args, bool group)
    : program_(std::move(program)), args_(std::move(args)), group_(group) {
  ::signal(SIGPIPE, SIG_IGN);
}

Worker::~Worker() {
  stop();
}

std::string Worker::ask(const std::string& line, int timeout_seconds) {
  if (pid_ <= 0) start();
  if (paused_) send(SIGCONT);
  paused_ = false;
  const std::string request = line + "\n";
  if (write(in_, request.data(), request.size()) != static_cast<ssize_t>(request.size())) report_end();
  std::string answer;
  while (true) {
    pollfd p{out_, POLLIN, 0};
    const int ready = poll(&p, 1, timeout_seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      stop();
      fail(ErrorCode::check_failed, "timed out after ", timeout_seconds, " s");
    }
    char buffer[65536];
    const ssize_t n = read(out_, buffer, sizeof buffer);
    if (n <= 0) report_end();
    answer.append(buffer, static_cast<size_t>(n));
    if (answer.back() == '\n') {
      answer.pop_back();
      return answer;
    }
  }
}

void Worker::pause() {
  if (pid_ > 0) send(SIGSTOP);
  paused_ = true;
}

void Worker::start() {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) fail(ErrorCode::internal, "pipe: ", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  std::vector<char*> argv;
  argv.reserve(args_.size() + 1);
  for (const auto& a : args_) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (group_) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawnp(&pid_, program_.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]), close(from[1]);
  in_ = to[1], out_ = from[0];
  if (error) {
    pid_ = -1;
    fail(ErrorCode::internal, "cannot start ", program_, ": ", std::strerror(error));
  }
}

void Worker::send(int signal) const {
  kill(group_ ? -pid_ : pid_, signal);
}

// What the worker has started is not ours to wait for, but has files open.
void Worker::end_group() const {
  if (!group_) return;
  kill(-pid_, SIGKILL);
  for (int i = 0; i < 100 && kill(-pid_, 0) == 0; ++i) usleep(10000);
}

void Worker::report_end() {
  int status = 0;
  waitpid(pid_, &status, 0);
  end_group();
  pid_ = -1;
  close(in_), close(out_);
  if (WIFSIGNALED(status)) fail(ErrorCode::check_failed, "crashed: ", strsignal(WTERMSIG(status)));
  fail(ErrorCode::check_failed, "the worker exited with status ", WEXITSTATUS(status));
}

void Worker::stop() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  end_group();
  pid_ = -1;
  paused_ = false;
  close(in_), close(out_);
}

}  // namespace tc
