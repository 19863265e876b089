// A child process that answers each line on its standard input with one on its standard output.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tc {

class Worker {
 public:
  // `program` is looked up in PATH; `args` begin with the name it sees itself under. Started by the first question, and
  // again by the next one after it ended. `group`: with a process group of its own, which is stopped and killed as one.
  Worker(std::string program, std::vector<std::string> args, bool group = false);
  ~Worker();  // kills it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Error check_failed, which says how the worker ended, when it does so instead of answering, or exceeds the time.
  std::string ask(const std::string& line, int timeout_seconds);
  // Stops it with SIGSTOP; the next question lets it go on.
  void pause();

 private:
  void start();
  [[noreturn]] void report_end();
  void stop();
  void send(int signal) const;
  void end_group() const;

  std::string program_;
  std::vector<std::string> args_;
  bool group_;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  bool paused_ = false;
};

}  // namespace tc
