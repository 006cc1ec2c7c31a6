// SPDX-License-Identifier: Apache-2.0

// Register: a 32-bit number that names a physical or a virtual register.
//
// 0 is "no register". Physical registers have the target's numbers, from 1. Virtual registers have the top bit set
// and are otherwise numbered densely from 0. Nothing else is encoded; MachineRegisterInfo holds the class of a
// virtual register.

#ifndef PTXMIR_MIR_CODE_REGISTER_H_
#define PTXMIR_MIR_CODE_REGISTER_H_

#include <compare>
#include <cstdint>
#include <utility>

namespace ptxmir {

class Register {
 public:
  static constexpr uint32_t kVirtualBit = 1u << 31;

  constexpr Register() = default;
  static constexpr Register FromBits(uint32_t bits) { return Register(bits); }
  static constexpr Register Virtual(uint32_t index) { return Register(index | kVirtualBit); }
  static constexpr Register Physical(uint32_t number) { return Register(number); }

  constexpr bool is_valid() const { return bits_ != 0; }
  constexpr bool is_virtual() const { return (bits_ & kVirtualBit) != 0; }
  constexpr bool is_physical() const { return bits_ != 0 && !is_virtual(); }
  // Returns the dense, 0-based number of a virtual register.
  constexpr uint32_t virtual_index() const { return bits_ & ~kVirtualBit; }
  constexpr uint32_t bits() const { return bits_; }

  friend constexpr bool operator==(Register a, Register b) = default;
  friend constexpr auto operator<=>(Register a, Register b) = default;
  template <typename H>
  friend H AbslHashValue(H h, Register r) {
    return H::combine(std::move(h), r.bits_);
  }

 private:
  constexpr explicit Register(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_REGISTER_H_
