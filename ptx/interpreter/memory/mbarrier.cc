// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/memory/mbarrier.h"

namespace ptxmir::ptx {
namespace {

constexpr unsigned kCountBits = 20;
constexpr unsigned kTransactionBits = 21;
constexpr unsigned kExpectedShift = kCountBits;
constexpr unsigned kTransactionShift = 2 * kCountBits;
constexpr unsigned kParityBit = kTransactionShift + kTransactionBits;
constexpr unsigned kValidBit = kParityBit + 1;

constexpr uint64_t LowBits(unsigned count) { return (uint64_t{1} << count) - 1; }

}  // namespace

void Mbarrier::EndPhaseIfDone() {
  if (pending != 0 || transactions != 0) return;
  parity = !parity;
  pending = expected;
}

bool Mbarrier::Arrive(int64_t count) {
  if (count < 1 || count > pending) return false;
  pending -= count;
  EndPhaseIfDone();
  return true;
}

bool Mbarrier::ArriveAndDrop(int64_t count) {
  if (count < 1 || count > pending || count > expected) return false;
  expected -= count;
  return Arrive(count);
}

bool Mbarrier::ExpectArrivals(int64_t count) {
  if (pending + count > kMaxCount) return false;
  pending += count;
  return true;
}

bool Mbarrier::ExpectTransactions(int64_t bytes) {
  if (transactions + bytes > kMaxCount) return false;
  transactions += bytes;
  return true;
}

bool Mbarrier::CompleteTransactions(int64_t bytes) {
  if (transactions - bytes < -kMaxCount) return false;
  transactions -= bytes;
  EndPhaseIfDone();
  return true;
}

uint64_t Mbarrier::Encode() const {
  return static_cast<uint64_t>(pending) | static_cast<uint64_t>(expected) << kExpectedShift |
         (static_cast<uint64_t>(transactions) & LowBits(kTransactionBits)) << kTransactionShift |
         uint64_t{parity} << kParityBit | uint64_t{1} << kValidBit;
}

std::optional<Mbarrier> Mbarrier::Decode(uint64_t bits) {
  if (bits >> kValidBit != 1) return std::nullopt;
  Mbarrier mbarrier;
  mbarrier.pending = static_cast<int64_t>(bits & LowBits(kCountBits));
  mbarrier.expected = static_cast<int64_t>(bits >> kExpectedShift & LowBits(kCountBits));
  const unsigned above = 64 - kTransactionShift - kTransactionBits;
  mbarrier.transactions = static_cast<int64_t>(bits << above) >> (64 - kTransactionBits);
  mbarrier.parity = (bits >> kParityBit & 1) != 0;
  return mbarrier;
}

}  // namespace ptxmir::ptx
