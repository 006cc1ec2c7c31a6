// SPDX-License-Identifier: Apache-2.0

// The warp as its kernels see it: rows, undefined bits, memory, and who is there.
//
// Divergence. The threads of a warp are a set of fragments: lanes that stand at the same instruction with the same
// call stack. The fragment that is furthest behind runs: the deepest call first, then the smallest program counter
// (decoder.h says how blocks are laid out); fragments that meet at an instruction become one. A fragment that waits
// (a collective whose members are elsewhere, a barrier) gives way to the others; when all wait, the warp waits for
// other warps, and when nobody can go on, it is a deadlock, which is reported with who waits where. A fragment that
// keeps others waiting for long is made to give way, so that spinning on a lock that a lane of the same warp holds
// ends, as on hardware since Volta.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_WARP_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_WARP_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/async_state.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/interpreter/exec/frame.h"
#include "ptx/interpreter/memory/memory.h"
#include "ptx/interpreter/memory/race_detector.h"
#include "ptx/interpreter/memory/tensor_memory.h"
#include "ptx/interpreter/values/fault.h"
#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx {

class Cta;
class Grid;
class Texture;
class TextureTable;

// Lanes at one place.
struct Fragment {
  LaneMask lanes = 0;
  Frame* frame = nullptr;
  uint32_t pc = 0;
  bool blocked = false;
  uint64_t blocked_at = 0;  // Cta::progress when it was blocked
  uint64_t last_run = 0;    // turn in which it ran last
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
  // `lanes`: those that have a thread.
  Warp(Cta& cta, unsigned number, LaneMask lanes);
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // ---- Who is there.
  LaneMask active() const { return active_; }  // lanes that execute the instruction
  LaneMask alive() const { return alive_; }    // lanes of the warp that have not ended
  Cta& cta() const { return cta_; }
  Grid& grid() const;
  // Calls `run` for the active lanes one by one, in the order in which they write (LaunchConfig::reverse_order), until
  // it returns false: it has faulted.
  StepResult InWriteOrder(absl::FunctionRef<bool(unsigned lane)> run) const;
  unsigned number() const { return number_; }  // in its CTA
  // Linear thread number in the CTA of a lane.
  unsigned thread(unsigned lane) const { return number_ * kWarpSize + lane; }
  const DecodedFunction& code() const { return *fragments_[current_].frame->code; }
  Frame& frame() { return *fragments_[current_].frame; }
  uint32_t pc() const { return fragments_[current_].pc; }

  // ---- Operands. Operands count from 0: results, then sources, flattened, as in the statement. A 128-bit register
  // is two operands, the low half first.
  LaneValue Read(const DecodedInstr& instr, unsigned operand, unsigned lane) const;
  void Write(const DecodedInstr& instr, unsigned operand, unsigned lane, LaneValue value);
  // The value of an operand that must be defined; faults with kUndefinedOperand and returns false otherwise.
  bool ReadDefined(const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* value);
  // Width in bits of the operand's row (1, 16, 32, 64); of immediates 64.
  unsigned OperandBits(const DecodedInstr& instr, unsigned operand) const;
  // The address that an operand of kind kAddress (or a plain register) names in a lane; false after a fault.
  bool ReadAddress(const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* address);

  // ---- Memory. `space` kGeneric looks at the windows. `size` is at most 16 and a power of two; the address must be
  // a multiple of it. `undefined` receives or gives the shadow bytes; null when storing: all defined. False after a
  // fault.
  bool Load(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
            AccessKind kind, uint8_t* data, uint8_t* undefined);
  bool Store(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
             AccessKind kind, const uint8_t* data, const uint8_t* undefined);
  // The lanes have met: what they did to memory is ordered before what they do next.
  void OrderLanes(LaneMask lanes);
  // The same for what they loaded.
  void OrderReads(LaneMask lanes);

  // Finds where `total` bytes (in accesses of up to `chunk`) of a plain access are, for all active lanes at once, and
  // counts them: the common case, in which the addresses are defined, aligned and within one block or the CTA's shared
  // memory, and (unless `is_write`) all bits there are defined. False, and nothing is counted, in any other: then the
  // lanes have to be looked at one by one.
  struct LanePointers {
    std::array<uint8_t*, kWarpSize> data;
    std::array<uint8_t*, kWarpSize> shadow;  // null when there is none
    uint8_t defined = 0;                     // what a byte of the shadow is when all bits are defined
    bool has_shadow = false;
  };
  bool FindLanes(const DecodedInstr& instr, unsigned address_operand, MemorySpace space, unsigned total, unsigned chunk,
                 bool is_write, LanePointers* pointers);
  // The rows of a result or source for kernels that fill or read them themselves; null when it is none.
  uint8_t* Row(const DecodedInstr& instr, unsigned operand, unsigned* bits);
  const uint8_t* DefinedRow(const DecodedInstr& instr, unsigned operand, unsigned* bits);
  void SetRowDefined(const DecodedInstr& instr, unsigned operand);

  // ---- Collectives. Splits the active lanes by their member mask (`mask_operand`; kAllAlive: the lanes of the warp
  // that are alive) into groups that are complete, appended to `groups`. Lanes whose group is not complete are split
  // off and wait. kBlocked when no group is complete; kFault when a mask is undefined or does not name the lane
  // itself. Lanes that have ended count as present, as on hardware.
  static constexpr unsigned kAllAlive = ~0u;
  StepResult CollectiveGroups(const DecodedInstr& instr, unsigned mask_operand, std::vector<LaneMask>* groups);

  // ---- Asynchronous copies and textures.
  // The generic address of an address in a space; kGeneric: itself. Addresses in kShared are those of the warp's own
  // CTA.
  uint64_t ToGeneric(MemorySpace space, uint64_t address) const;
  // The inverse: shared addresses of the own CTA come out below kSharedStride.
  uint64_t FromGeneric(MemorySpace space, uint64_t address) const;
  // Whether a shared address is one of the warp's own CTA.
  bool IsOwnShared(uint64_t offset) const { return OwnerOfShared(offset) == &cta_; }
  ThreadAsyncState& thread_async(unsigned lane) { return async_[lane]; }
  // Of the CTA in whose shared memory a generic address lies; null when it lies in none.
  CtaAsyncState* cta_async(uint64_t generic_address);
  Cta* OwnerOfGeneric(uint64_t generic_address) const;
  TextureTable& textures();
  // False after a fault: the access of `size` bytes at `offset` of the surface is a race. `stored` and the undefined
  // bits of it: null for a load.
  bool CheckSurfaceRace(const DecodedInstr& instr, const Texture& surface, uint64_t offset, unsigned size,
                        unsigned lane, const uint8_t* stored, const uint8_t* undefined);

  // ---- Faults. Returns StepResult::kFault. `origin`: of an undefined value.
  StepResult Fail(const DecodedInstr& instr, FaultKind kind, unsigned lane, std::string message,
                  std::string origin = {});
  // The fault, without failing.
  Fault Describe(const DecodedInstr& instr, FaultKind kind, unsigned lane, std::string message);
  // How the undefined value of an operand came about.
  std::string DescribeOrigin(const DecodedInstr& instr, unsigned operand) const;
  // The same for the first operand that is undefined in an active lane.
  std::string DescribeFirstOrigin(const DecodedInstr& instr) const;
  // False where the store of undefined bits is a fault.
  bool NoteUndefinedStore(const DecodedInstr& instr, unsigned lane);
  // A new origin: `what` (a few words) happened at the instruction.
  OriginId NewOrigin(const DecodedInstr& instr, std::string_view what);
  void SetOrigin(const DecodedInstr& instr, unsigned operand, OriginId origin);
  // The result takes the origin of a source.
  void PropagateOrigin(const DecodedInstr& instr, unsigned source, unsigned result);

  // ---- Control; for the kernels of control.h and the barriers.
  // Lets the active lanes go on at `pc`, the other lanes of the fragment behind the instruction.
  void JumpTo(uint32_t pc);
  // The lanes of the fragment that are not in `lanes` stay at the instruction as a fragment of their own, which
  // executes it again: at once, or when something has happened (`waits`).
  void SplitOff(LaneMask lanes, bool waits);
  // A new frame above the current one for the active lanes; null when the stack is exhausted.
  Frame* PushFrame(const DecodedFunction& code, const CallSite* site);
  // The active lanes go back to the caller or, from the kernel, end.
  void ReturnLanes();
  void ExitLanes();
  // The fragment goes on behind the instruction when others of the warp, and other warps, have had a turn.
  void GiveWay();
  // Starts the kernel.
  void Start(const DecodedFunction& code);
  // Bytes of a thread, beside those of the kernel itself, and most of these. A GPU has 512 KiB for both; what spills
  // ten thousand values is nevertheless to be executed.
  static constexpr uint32_t kMaxLocal = 1u << 19;
  static constexpr uint32_t kMaxKernelLocal = 1u << 23;
  // Makes local memory reach to `top`; false when that is too much.
  bool GrowLocal(uint32_t top);
  void SetAccessible(uint32_t begin, uint32_t size, LaneMask lanes, bool accessible);
  void WriteLocal(unsigned lane, uint32_t address, uint32_t size, const uint8_t* data, const uint8_t* undefined);
  // Operand 1 to operand 0 in the active lanes.
  void CopyRow(const DecodedInstr& instr);

  enum class RunResult : uint8_t { kRunning, kBlocked, kEnded, kFault };
  // Runs for about `steps` steps.
  RunResult Run(uint64_t steps);
  // Who waits where, a line each; for reports of deadlocks.
  std::string DescribeWaiting() const;

  // Lanes that wait in a CTA barrier, and what it left for them; see semantics_barrier.cc.
  struct BarrierWait {
    LaneMask registered = 0;  // arrived, and not yet gone on
    LaneMask released = 0;    // of those, who may go on
    std::array<uint32_t, kWarpSize> pc{};
    std::array<uint32_t, kWarpSize> result{};
    std::array<uint64_t, kWarpSize> cluster_phase{};
  };
  BarrierWait barrier_wait;

  // What it has waited for and fenced in tensor memory.
  TensorOrder tensor_order;

 private:
  struct LocalStack {
    std::vector<uint8_t> data;
    std::vector<uint8_t> undefined;
    std::vector<uint8_t> accessible;
  };
  struct Bytes {
    uint8_t* data;
    uint8_t* undefined;  // null: all defined
    bool inverted;       // the shadow says which bits are defined
  };
  // What stands where something is accessed.
  struct Present {
    const uint8_t* data;
    const uint8_t* undefined;
    bool inverted;
    std::string_view owner;  // for reports: the name of what holds it; empty: shared memory
  };
  // What a store writes.
  struct Stored {
    const uint8_t* data;
    const uint8_t* undefined;  // null: all defined
  };

  bool Pick();
  void Merge();
  RunResult RunFragment(uint64_t steps);
  void ExecutePure(const DecodedInstr& instr, Frame& frame);
  void ExecuteUndefined(const DecodedInstr& instr, Frame& frame, LaneMask undefined, void* const* rows);
  bool ApplyGuard(const DecodedInstr& instr, Frame& frame);
  void SetUndefinedBits(Frame& frame, uint32_t row, unsigned lane, uint64_t bits);
  uint64_t UndefinedBits(const Frame& frame, uint32_t row, unsigned lane) const;
  bool FindBytes(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
                 AccessKind kind, const Stored* stored, Bytes* bytes);
  // Null when there is no such CTA in the cluster.
  Cta* OwnerOfShared(uint64_t offset) const;
  bool FindShared(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                  AccessKind kind, const Stored* stored, Bytes* bytes);
  bool FindBlock(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                 AccessKind kind, const Stored* stored, Bytes* bytes);
  // False after a fault: the access of `size` bytes, which are at `offset` of what the shadow describes, is a race.
  // `stored`: null for a load, as in the functions above.
  bool CheckRace(const DecodedInstr& instr, AccessShadow& shadow, uint64_t offset, unsigned size, unsigned lane,
                 AccessKind kind, const Stored* stored, const Present& present);
  // Whether two of the lanes store to the same bytes, or may.
  static bool MayOverlap(absl::Span<const uint64_t> offsets, LaneMask lanes, unsigned total);
  bool FindLocal(const DecodedInstr& instr, uint64_t address, unsigned size, unsigned lane, Bytes* bytes);
  bool FindLocalLanes(absl::Span<const uint64_t> addresses, uint64_t base, unsigned total, bool is_write,
                      LanePointers* pointers);
  // `is_generic`: the address came through the generic space, where only the parameters of the kernel are.
  bool FindParam(const DecodedInstr& instr, uint64_t address, bool is_generic, unsigned size, unsigned lane,
                 Bytes* bytes);
  bool FailOutside(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                   bool is_write);
  void LeaveFrame(Frame* frame, LaneMask leaving);
  void ReleaseFrame(Frame* frame);
  void CountAccesses(const DecodedInstr& instr, MemorySpace space, uint64_t count, uint64_t bytes, bool is_write);
  void RemoveEmptyFragment();
  LaneMask LeaveFragment();

  Cta& cta_;
  unsigned number_;
  LaneMask alive_;
  LaneMask active_ = 0;
  std::vector<Fragment> fragments_;
  size_t current_ = 0;
  uint64_t turn_ = 0;
  bool gives_way_ = false;
  uint64_t steps_since_forced_ = 0;  // taken while several fragments could run
  std::vector<LocalStack> local_;    // by lane
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<Frame>> free_frames_;
  std::vector<ThreadAsyncState> async_;  // by lane
};

// The space of a generic address, and the address within it.
MemorySpace SpaceOfGeneric(uint64_t address, uint64_t* offset);

// The machine instruction, as MIR.
std::string DescribeInstr(const DecodedInstr& instr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_WARP_H_
