// SPDX-License-Identifier: Apache-2.0

#include "passes/run/function_pool.h"

#include <algorithm>
#include <utility>

namespace ptxmir {

FunctionPool::FunctionPool(int num_threads, Compile compile, Commit commit)
    : max_threads_(std::max(num_threads, 1)), compile_(std::move(compile)), commit_(std::move(commit)) {}

void FunctionPool::Add(Job job) {
  if (max_threads_ == 1) {
    compile_(job);
    commit_(job);
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  auto entry = std::make_unique<Entry>();
  entry->job = std::move(job);
  entries_.push_back(std::move(entry));
  const size_t waiting = entries_.size() - next_;
  // A single function is not worth a thread: the caller compiles it if no more arrive.
  if (waiting > workers_.size() + 1 && workers_.size() + 1 < static_cast<size_t>(max_threads_)) {
    workers_.emplace_back([this] { Work(); });
  }
  work_arrived_.notify_one();
  const size_t limit = kMaxWaiting * static_cast<size_t>(max_threads_);
  if (entries_.size() - next_ > limit) RunOne(lock);
  // Also bounds the number of finished jobs that wait for a slow function before them.
  while (entries_.size() > 4 * limit) {
    if (!RunOne(lock)) progress_.wait(lock);
  }
}

void FunctionPool::Finish() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (RunOne(lock)) {
  }
  is_finished_ = true;
  work_arrived_.notify_all();
  while (!entries_.empty()) progress_.wait(lock);
  lock.unlock();
  for (std::thread& worker : workers_) {
    if (worker.joinable()) worker.join();
  }
}

void FunctionPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (RunOne(lock)) continue;
    if (is_finished_) return;
    work_arrived_.wait(lock);
  }
}

bool FunctionPool::RunOne(std::unique_lock<std::mutex>& lock) {
  if (next_ == entries_.size()) return false;
  Entry& entry = *entries_[next_++];
  lock.unlock();
  compile_(entry.job);
  lock.lock();
  entry.is_done = true;
  CommitFront(lock);
  return true;
}

void FunctionPool::CommitFront(std::unique_lock<std::mutex>& lock) {
  if (is_committing_) return;
  is_committing_ = true;
  while (!entries_.empty() && entries_.front()->is_done) {
    std::unique_ptr<Entry> entry = std::move(entries_.front());
    entries_.pop_front();
    --next_;
    lock.unlock();
    commit_(entry->job);
    entry.reset();
    lock.lock();
  }
  is_committing_ = false;
  progress_.notify_all();
}

int ResolveThreadCount(int requested) {
  if (requested > 0) return requested;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace ptxmir
