// SPDX-License-Identifier: Apache-2.0

// Compiles the functions of a module in parallel and hands them on in the order in which they came: the second
// phase of cicc's two-phase compilation (reference/pass-options.txt, "Interaction with Two-Phase Compilation").
// The first, which is about the module as a whole, is done by then.
//
// Work may run on any thread in any order; what is made of it is put together on one thread at a time in the
// order of the functions. Results therefore do not depend on the number of threads. Functions arrive one by one
// while later ones are still being read, and the thread that reads them helps when too many wait, so that a file
// of any size takes bounded memory. Threads are started when there is something for them to do.

#ifndef PTXMIR_PASSES_PIPELINE_FUNCTION_POOL_H_
#define PTXMIR_PASSES_PIPELINE_FUNCTION_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/pipeline/pipeline_runner.h"

namespace ptxmir {

class FunctionPool {
 public:
  struct Job {
    OwnedMachineFunction function;
    FunctionReport report;
    bool ok = false;  // what `compile` returned
  };
  // Called on several threads at once.
  using Compile = std::function<bool(MachineFunction&, FunctionReport&)>;
  // Called for one function at a time, in order, on any thread.
  using Commit = std::function<void(Job&)>;

  // `num_threads`: those at work at once, the caller's included; at least 1.
  FunctionPool(int num_threads, Compile compile, Commit commit);
  FunctionPool(const FunctionPool&) = delete;
  FunctionPool& operator=(const FunctionPool&) = delete;
  ~FunctionPool() { Finish(); }

  // Takes a function; it is compiled now or later. To be called by one thread.
  void Add(OwnedMachineFunction function);
  // Returns when everything has been committed. Nothing may be added afterwards.
  void Finish();

  // One more than the number of threads that were started.
  int num_threads_used() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  // Jobs that may wait for a thread, by thread, before the one that adds them helps.
  static constexpr size_t kMaxWaiting = 32;

  struct Entry {
    Job job;
    bool is_done = false;
  };

  void Work();
  // Compiles the next job that waits. The lock is held on entry and on return. False: none waits.
  bool RunOne(std::unique_lock<std::mutex>& lock);
  // Commits what is done at the front, unless another thread is at it.
  void CommitFront(std::unique_lock<std::mutex>& lock);

  const int max_threads_;
  const Compile compile_;
  const Commit commit_;

  std::mutex mutex_;  // of what follows
  std::condition_variable work_arrived_;
  std::condition_variable progress_;
  std::deque<std::unique_ptr<Entry>> entries_;  // not yet committed, in order
  size_t next_ = 0;                             // index in entries_ of the first that no thread has taken
  bool is_committing_ = false;
  bool is_finished_ = false;
  std::vector<std::thread> workers_;
};

// How many threads -j asks for: -1 is as many as the machine has processors.
int ResolveThreadCount(int requested);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_FUNCTION_POOL_H_
