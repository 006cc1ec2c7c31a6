// SPDX-License-Identifier: Apache-2.0

#include "passes/run/function_pool.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

std::unique_ptr<MachineFunction> Function(uint32_t number) {
  static const auto& names = *new std::string("f");
  return std::make_unique<MachineFunction>(nullptr, testing::TinyTarget(), names, number);
}

// Returns the numbers of the functions in the order in which they were committed.
std::vector<uint32_t> CommitOrder(int threads, uint32_t count, const FunctionPool::Compile& compile) {
  std::vector<uint32_t> order;
  FunctionPool pool(threads, compile, [&](FunctionPool::Job& job) { order.push_back(job.function->number()); });
  for (uint32_t i = 0; i < count; ++i) pool.Add(Function(i));
  pool.Finish();
  return order;
}

std::vector<uint32_t> UpTo(uint32_t count) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

TEST(FunctionPoolTest, CommitsInOrderOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const uint32_t count : {0u, 1u, 2u, 1000u}) {
      std::atomic<uint32_t> compiled = 0;
      const auto compile = [&](FunctionPool::Job& job) {
        if (job.function->number() % 7 == 0) std::this_thread::yield();
        ++compiled;
      };
      EXPECT_EQ(CommitOrder(threads, count, compile), UpTo(count)) << threads << " threads";
      EXPECT_EQ(compiled, count);
    }
  }
}

TEST(FunctionPoolTest, WhatWaitsBehindASlowFunctionIsBounded) {
  std::atomic<bool> released = false;
  std::atomic<uint32_t> compiled = 0;
  const auto compile = [&](FunctionPool::Job& job) {
    while (job.function->number() == 0 && !released) std::this_thread::yield();
    ++compiled;
  };
  std::vector<uint32_t> order;
  FunctionPool pool(4, compile, [&](FunctionPool::Job& job) { order.push_back(job.function->number()); });
  std::atomic<uint32_t> added = 0;
  constexpr uint32_t kCount = 3000;
  std::thread adder([&] {
    for (uint32_t i = 0; i < kCount; ++i) {
      pool.Add(Function(i));
      ++added;
    }
    pool.Finish();
  });
  // While the first function takes its time, as many others as the pool can hold are processed. Then the thread
  // that adds must wait, unless it compiles the first function itself.
  uint32_t before = 0;
  do {
    before = compiled;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (compiled != before);
  EXPECT_LT(added, kCount);
  released = true;
  adder.join();
  EXPECT_EQ(order, UpTo(kCount));
}

TEST(FunctionPoolTest, ReportsOfAFailedFunctionDoNotTouchTheOthers) {
  std::vector<std::string> messages;
  FunctionPool pool(
      3,
      [](FunctionPool::Job& job) {
        job.ok = job.function->number() % 10 != 3;
        if (!job.ok) job.report->diagnostics.Error(StrCat("function ", job.function->number()));
      },
      [&](FunctionPool::Job& job) {
        EXPECT_EQ(job.ok, job.function->number() % 10 != 3);
        if (!job.ok) messages.push_back(job.report->diagnostics.ToString());
      });
  for (uint32_t i = 0; i < 30; ++i) pool.Add(Function(i));
  pool.Finish();
  EXPECT_EQ(messages,
            (std::vector<std::string>{"error: function 3\n", "error: function 13\n", "error: function 23\n"}));
}

TEST(FunctionPoolTest, StartsNoThreadForOneFunction) {
  FunctionPool pool(
      8, [](FunctionPool::Job&) {}, [](FunctionPool::Job&) {});
  pool.Add(Function(0));
  pool.Finish();
  EXPECT_EQ(pool.num_threads_used(), 1);
}

TEST(FunctionPoolTest, CountsProcessorsOnlyWhenAsked) {
  EXPECT_EQ(ResolveThreadCount(5), 5);
  EXPECT_GE(ResolveThreadCount(-1), 1);
  EXPECT_GE(ResolveThreadCount(0), 1);
}

}  // namespace
}  // namespace ptxmir
