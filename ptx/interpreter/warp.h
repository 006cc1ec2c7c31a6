// The warp as its kernels see it: rows, undefined bits, memory, and who is
// there.
//
// Divergence. The threads of a warp are a set of fragments: lanes that stand at
// the same instruction with the same call stack. The fragment that is furthest
// behind runs: the deepest call first, then the smallest program counter
// (blocks in reverse post-order); fragments that meet at an instruction become
// one. A fragment that waits (a collective whose members are elsewhere, a
// barrier) gives way to the others; when all wait, the warp waits for other
// warps, and when nobody can go on, it is a deadlock, which is reported with
// who waits where. A fragment that keeps others waiting for long is made to
// give way, so that spinning on a lock that a lane of the same warp holds ends,
// as on hardware since Volta.

#ifndef PTXMIR_PTX_INTERPRETER_WARP_H_
#define PTXMIR_PTX_INTERPRETER_WARP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/interpreter/decoder.h"
#include "ptx/interpreter/device.h"
#include "ptx/interpreter/fault.h"
#include "ptx/interpreter/lanes.h"
#include "ptx/interpreter/memory.h"
#include "ptx/interpreter/semantics.h"

namespace ptxmir::ptx {

class Cta;
struct CtaAsyncState;
struct Frame;
class TextureTable;
struct ThreadAsyncState;

// Lanes at one place.
struct Fragment {
  LaneMask lanes = 0;
  Frame* frame = nullptr;
  uint32_t pc = 0;
  bool blocked = false;
  uint64_t blocked_at =
      0;  // value of the CTA's progress counter when it was blocked
};

enum class AccessKind : uint8_t {
  kPlain,
  kStrong,  // volatile, relaxed, acquire, release: no data race
  kAtomic,  // read-modify-write
};

// A value of one lane with its undefined bits.
struct LaneValue {
  uint64_t value = 0;
  uint64_t undefined = 0;
};

class Warp {
 public:
  // ---- Who is there.
  LaneMask active() const;  // lanes that execute the instruction
  LaneMask alive() const;   // lanes of the warp that have not ended
  Cta& cta() const;
  unsigned number() const;  // in its CTA
  // Linear thread number in the CTA of a lane.
  unsigned thread(unsigned lane) const;

  // ---- Operands. Operands count from 0: results, then sources, flattened, as
  // in the statement. A 128-bit register is two operands, the low half first.
  LaneValue Read(const DecodedInstr& instr, unsigned operand,
                 unsigned lane) const;
  void Write(const DecodedInstr& instr, unsigned operand, unsigned lane,
             LaneValue value);
  // The value of an operand that must be defined; faults with kUndefinedOperand
  // and returns false otherwise.
  bool ReadDefined(const DecodedInstr& instr, unsigned operand, unsigned lane,
                   uint64_t* value);
  // Width in bits of the operand's row (1, 16, 32, 64); of immediates 64.
  unsigned OperandBits(const DecodedInstr& instr, unsigned operand) const;
  // The address that an operand of kind kAddress (or a plain register) names in
  // a lane; false after a fault.
  bool ReadAddress(const DecodedInstr& instr, unsigned operand, unsigned lane,
                   uint64_t* address);

  // ---- Memory. `space` kGeneric looks at the windows. `size` is at most 16
  // and a power of two; the address must be a multiple of it. `undefined`
  // receives or gives the shadow bytes; null when storing: all defined. False
  // after a fault.
  bool Load(const DecodedInstr& instr, MemorySpace space, uint64_t address,
            unsigned size, unsigned lane, AccessKind kind, uint8_t* data,
            uint8_t* undefined);
  bool Store(const DecodedInstr& instr, MemorySpace space, uint64_t address,
             unsigned size, unsigned lane, AccessKind kind, const uint8_t* data,
             const uint8_t* undefined);

  // ---- Collectives. Splits the active lanes by their member mask
  // (`mask_operand`; kAllAlive: the lanes of the warp that are alive) into
  // groups that are complete, appended to `groups`. Lanes whose group is not
  // complete are split off and wait. kBlocked when no group is complete; kFault
  // when a mask is undefined or does not name the lane itself. Lanes that have
  // ended count as present, as on hardware.
  static constexpr unsigned kAllAlive = ~0u;
  StepResult CollectiveGroups(const DecodedInstr& instr, unsigned mask_operand,
                              std::vector<LaneMask>* groups);

  // ---- Asynchronous copies and textures.
  // The generic address of an address in a space; kGeneric: itself. Addresses in kShared are those of the warp's
  // own CTA.
  uint64_t ToGeneric(MemorySpace space, uint64_t address) const;
  ThreadAsyncState& thread_async(unsigned lane);
  // Of the CTA in whose shared memory a generic address lies; null when it lies in none.
  CtaAsyncState* cta_async(uint64_t generic_address);
  TextureTable& textures();

  // ---- Faults. Returns StepResult::kFault.
  StepResult Fail(const DecodedInstr& instr, FaultKind kind, unsigned lane,
                  std::string message);
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_WARP_H_
