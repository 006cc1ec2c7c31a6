// SPDX-License-Identifier: Apache-2.0

// Compiles the functions of a module in parallel and passes on the results in the order in which the functions
// arrived. This is the second phase of cicc's two-phase compilation. The first phase, which treats the module as a
// whole, is complete by then.
//
// Compilation may run on any thread and in any order. Results are committed on one thread at a time, in the order
// of the functions, so they do not depend on the number of threads. Functions arrive one by one while later ones
// are still being read. The reading thread helps to compile when too many are waiting, so a file of any size takes
// bounded memory. A thread is started only when there is work for it.

#ifndef PTXMIR_PASSES_RUN_FUNCTION_POOL_H_
#define PTXMIR_PASSES_RUN_FUNCTION_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/run/pipeline_runner.h"

namespace ptxmir {

class FunctionPool {
 public:
  using Job = RunUnit;
  // Compiles one function, or goes on with it. It is called on several threads at once.
  using Compile = std::function<void(Job&)>;
  // Takes the result of one function. It is called for one function at a time, in order, on any thread.
  using Commit = std::function<void(Job&)>;

  // `num_threads` is the number of threads that may work at once, including the caller's. It is at least 1.
  FunctionPool(int num_threads, Compile compile, Commit commit);
  FunctionPool(const FunctionPool&) = delete;
  FunctionPool& operator=(const FunctionPool&) = delete;
  ~FunctionPool() { Finish(); }

  // Takes a function, which is compiled now or later. Only one thread may call this.
  void Add(OwnedMachineFunction function) {
    Job job;
    job.function = std::move(function);
    Add(std::move(job));
  }
  void Add(Job job);
  // Returns after everything has been committed. Nothing may be added afterwards.
  void Finish();

  // Returns one more than the number of threads that were started.
  int num_threads_used() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  // The number of jobs per thread that may wait before the thread that adds them helps.
  static constexpr size_t kMaxWaiting = 32;

  struct Entry {
    Job job;
    bool is_done = false;
  };

  void Work();
  // Compiles the next waiting job and returns true, or returns false if none is waiting. The lock is held on entry
  // and on return.
  bool RunOne(std::unique_lock<std::mutex>& lock);
  // Commits the finished jobs at the front, unless another thread is committing.
  void CommitFront(std::unique_lock<std::mutex>& lock);

  const int max_threads_;
  const Compile compile_;
  const Commit commit_;

  std::mutex mutex_;  // guards everything below
  std::condition_variable work_arrived_;
  std::condition_variable progress_;
  std::deque<std::unique_ptr<Entry>> entries_;  // jobs that are not yet committed, in order
  size_t next_ = 0;                             // index in entries_ of the first job that no thread has taken
  bool is_committing_ = false;
  bool is_finished_ = false;
  std::vector<std::thread> workers_;
};

// Returns the number of threads that -j asks for; -1 means one thread per processor.
int ResolveThreadCount(int requested);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_FUNCTION_POOL_H_
