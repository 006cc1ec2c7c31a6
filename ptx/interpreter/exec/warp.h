// SPDX-License-Identifier: Apache-2.0

// The warp as its kernels see it: rows, undefined bits, memory, and the lanes that take part.
//
// Divergence. The threads of a warp form a set of fragments. A fragment is a set of lanes at the same instruction
// with the same call stack. The scheduler runs the deepest call first and, among equal depths, the smallest program
// counter (decoded_function.h describes how blocks are laid out). Fragments that meet at an instruction merge. A
// fragment that waits (at a barrier, or at a collective whose members are elsewhere) yields to the others. If all
// fragments wait, the warp waits for other warps. If no warp can go on, that is a deadlock, which is reported with
// the place where each thread waits. A fragment that keeps others waiting for long is forced to yield, so that
// spinning on a lock that another lane of the same warp holds ends, as on hardware since Volta.

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

// The lanes at one place.
struct Fragment {
  LaneMask lanes = 0;
  Frame* frame = nullptr;
  uint32_t pc = 0;
  bool blocked = false;
  uint64_t blocked_at = 0;  // Cta::progress when it was blocked
  uint64_t last_run = 0;    // the time slice in which it ran last
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
// The mask of a value that is undefined altogether.
inline constexpr uint64_t kAllBits = ~uint64_t{0};

class Warp {
 public:
  // `lanes` are the ones that have a thread.
  Warp(Cta& cta, unsigned number, LaneMask lanes);
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // ---- Participants.
  LaneMask active() const { return active_; }  // the lanes that execute the current instruction
  LaneMask alive() const { return alive_; }    // the lanes that have a thread and have not ended
  Cta& cta() const { return cta_; }
  Grid& grid() const;
  // Calls `run` for the active lanes one by one, in the order in which they write (ThreadOrder::reverse),
  // until it returns false after a fault.
  StepResult InWriteOrder(absl::FunctionRef<bool(unsigned lane)> run) const;
  unsigned number() const { return number_; }  // the warp's number in its CTA
  // Returns the linear number of a lane's thread in the CTA.
  unsigned thread(unsigned lane) const { return number_ * kWarpSize + lane; }
  const DecodedFunction& code() const { return *fragments_[current_].frame->code; }
  Frame& frame() { return *fragments_[current_].frame; }
  uint32_t pc() const { return fragments_[current_].pc; }

  // ---- Clocks. A clock advances when the warp reads one, not with every instruction, so that a program that reads it
  // computes the same however many instructions it has.
  void AdvanceClock() { clock_ += kClockStep; }
  uint64_t clock() const { return clock_; }

  // ---- Operands. Operands are numbered from 0: results, then sources, flattened, as in the statement. A 128-bit
  // register is two operands, the low half first.
  LaneValue Read(const DecodedInstr& instr, unsigned operand, unsigned lane) const;
  void Write(const DecodedInstr& instr, unsigned operand, unsigned lane, LaneValue value);
  // Reads an operand that must be defined. Otherwise faults with kUndefinedOperand and returns false.
  bool ReadDefined(const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* value);
  // Returns the width in bits of the operand's row (1, 16, 32, 64), or 64 for an immediate.
  unsigned OperandBits(const DecodedInstr& instr, unsigned operand) const;
  // Reads the address that a lane's operand of kind kAddress (or a plain register) denotes. Returns false after a
  // fault.
  bool ReadAddress(const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* address);

  // ---- Memory. For kGeneric, the address windows select the space. `size` is a power of two, at most 16, and the
  // address must be a multiple of it. `undefined` receives or provides the shadow bytes; null in a store means that
  // all bits are defined. Both return false after a fault.
  bool Load(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
            AccessKind kind, uint8_t* data, uint8_t* undefined);
  bool Store(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
             AccessKind kind, const uint8_t* data, const uint8_t* undefined);
  // Orders the past memory accesses of the lanes before their future ones, because the lanes have met.
  void OrderLanes(LaneMask lanes);
  // The same for what they loaded only.
  void OrderReads(LaneMask lanes);

  // Finds the addresses of a plain access of `total` bytes (in accesses of up to `chunk` bytes) for all active lanes
  // at once, and counts them. This is the common case: the addresses are defined, aligned, and within one block or
  // the CTA's shared memory, and (unless `is_write`) all bits there are defined. In any other case returns false and
  // counts nothing; then each lane must be handled separately.
  struct LanePointers {
    std::array<uint8_t*, kWarpSize> data;
    std::array<uint8_t*, kWarpSize> shadow;  // null if there is none
    uint8_t defined = 0;                     // the value of a shadow byte whose bits are all defined
    bool has_shadow = false;
  };
  bool FindLanes(const DecodedInstr& instr, unsigned address_operand, MemorySpace space, unsigned total, unsigned chunk,
                 bool is_write, LanePointers* pointers);
  // Return the row of a result, or of a source that is defined in all active lanes, for kernels that access it
  // directly. Null if there is no such row.
  uint8_t* Row(const DecodedInstr& instr, unsigned operand, unsigned* bits);
  const uint8_t* DefinedRow(const DecodedInstr& instr, unsigned operand, unsigned* bits);
  void SetRowDefined(const DecodedInstr& instr, unsigned operand);

  // ---- Collectives. Splits the active lanes into groups by their member mask (`mask_operand`; for kAllAlive, the
  // live lanes of the warp) and appends the complete groups to `groups`. Lanes of incomplete groups are split off
  // and wait. Returns kBlocked if no group is complete, and kFault if a mask is undefined or does not include the
  // lane itself. Lanes that have ended count as present, as on hardware.
  static constexpr unsigned kAllAlive = ~0u;
  StepResult CollectiveGroups(const DecodedInstr& instr, unsigned mask_operand, std::vector<LaneMask>* groups);

  // ---- Asynchronous copies and textures.
  // Returns the generic address of an address in a space; for kGeneric, the address itself. Addresses in kShared are
  // in the warp's own CTA.
  uint64_t ToGeneric(MemorySpace space, uint64_t address) const;
  // The inverse. Shared addresses of the warp's own CTA become offsets below kSharedStride.
  uint64_t FromGeneric(MemorySpace space, uint64_t address) const;
  // Returns true if a shared address is in the warp's own CTA.
  bool IsOwnShared(uint64_t offset) const { return OwnerOfShared(offset) == &cta_; }
  ThreadAsyncState& thread_async(unsigned lane) { return async_[lane]; }
  // Return the state, or the CTA, in whose shared memory a generic address is. Null if it is in none.
  CtaAsyncState* cta_async(uint64_t generic_address);
  Cta* OwnerOfGeneric(uint64_t generic_address) const;
  TextureTable& textures();
  // Checks an access of `size` bytes at `offset` of the surface for races. Returns false after a fault. `stored` and
  // its undefined bits are null for a load.
  bool CheckSurfaceRace(const DecodedInstr& instr, const Texture& surface, uint64_t offset, unsigned size,
                        unsigned lane, const uint8_t* stored, const uint8_t* undefined);

  // ---- Faults. Reports a fault and returns StepResult::kFault. `origin` is the origin of an undefined value.
  StepResult Fail(const DecodedInstr& instr, FaultKind kind, unsigned lane, std::string message,
                  std::string origin = {});
  // Returns the fault without failing.
  Fault Describe(const DecodedInstr& instr, FaultKind kind, unsigned lane, std::string message);
  // Describes how the undefined value of an operand came about.
  std::string DescribeOrigin(const DecodedInstr& instr, unsigned operand) const;
  // The same for the first operand that is undefined in an active lane.
  std::string DescribeFirstOrigin(const DecodedInstr& instr) const;
  // Notes a store of undefined bits. Returns false if the store is a fault.
  bool NoteUndefinedStore(const DecodedInstr& instr, unsigned lane);
  // Creates an origin: `what` (a few words) happened at the instruction.
  OriginId NewOrigin(const DecodedInstr& instr, std::string_view what);
  void SetOrigin(const DecodedInstr& instr, unsigned operand, OriginId origin);
  // Gives the result the origin of a source.
  void PropagateOrigin(const DecodedInstr& instr, unsigned source, unsigned result);

  // ---- Control, for the kernels of control.h and the barriers. Moves the active lanes to `pc`. The other lanes of
  // the fragment go on after the instruction.
  void JumpTo(uint32_t pc);
  // Splits off the lanes of the fragment that are not in `lanes`. They stay at the instruction as a fragment of
  // their own, which executes it again: at once, or after progress has been made (`waits`).
  void SplitOff(LaneMask lanes, bool waits);
  // Pushes a frame for the active lanes. Returns null if the stack is exhausted.
  Frame* PushFrame(const DecodedFunction& code, const CallSite* site);
  // ReturnLanes returns the active lanes to the caller or, from the kernel, ends them. ExitLanes ends them.
  void ReturnLanes();
  void ExitLanes();
  // Yields: the fragment goes on after the instruction once others of the warp, and other warps, have run.
  void GiveWay();
  // Starts the kernel.
  void Start(const DecodedFunction& code);
  // The most local bytes of a thread: kMaxLocal beyond those of the kernel itself, kMaxKernelLocal for the kernel. A
  // GPU has 512 KiB for both, but code that spills ten thousand values must still be executable here.
  static constexpr uint32_t kMaxLocal = 1u << 19;
  static constexpr uint32_t kMaxKernelLocal = 1u << 23;
  // Grows local memory to reach up to `top`. Returns false if that is too much.
  bool GrowLocal(uint32_t top);
  void SetAccessible(uint32_t begin, uint32_t size, LaneMask lanes, bool accessible);
  void WriteLocal(unsigned lane, uint32_t address, uint32_t size, const uint8_t* data, const uint8_t* undefined);
  // Copies operand 1 to operand 0 in the active lanes.
  void CopyRow(const DecodedInstr& instr);

  // kWaiting: it spins until something outside of it happens, so others should run. kBlocked: it cannot run before.
  enum class RunResult : uint8_t { kRunning, kWaiting, kBlocked, kEnded, kFault };
  // Runs for about `steps` steps, or until it gives way.
  RunResult Run(uint64_t steps);
  // Describes which lanes wait where, one line each, for reports of deadlocks.
  std::string DescribeWaiting() const;

  // The lanes that wait at a CTA barrier, and the result that it has for them. See semantics_barrier.cc.
  struct BarrierWait {
    LaneMask registered = 0;  // arrived and not yet gone on
    LaneMask released = 0;    // the registered lanes that may go on
    std::array<uint32_t, kWarpSize> pc{};
    std::array<uint32_t, kWarpSize> result{};
    std::array<uint64_t, kWarpSize> cluster_phase{};
  };
  BarrierWait barrier_wait;

  // The tensor-memory operations that the warp has waited for and fenced.
  TensorOrder tensor_order;

 private:
  static constexpr uint64_t kClockStep = 32;
  struct LocalStack {
    std::vector<uint8_t> data;
    std::vector<uint8_t> undefined;
    std::vector<uint8_t> accessible;
  };
  struct Bytes {
    uint8_t* data;
    uint8_t* undefined;  // null: all defined
    bool inverted;       // whether the shadow marks the defined bits instead
  };
  // The contents of the bytes that are accessed.
  struct Present {
    const uint8_t* data;
    const uint8_t* undefined;
    bool inverted;
    std::string_view owner;  // name of the block, for reports; empty for shared memory
  };
  // The data of a store.
  struct Stored {
    const uint8_t* data;
    const uint8_t* undefined;  // null if all bits are defined
  };

  bool Pick();
  static bool AreTogether(const Fragment& a, const Fragment& b);
  void JoinFrames(Frame& to, Frame& from, LaneMask lanes);
  void Merge();
  RunResult RunFragment(uint64_t steps);
  void ExecutePure(const DecodedInstr& instr, Frame& frame);
  void ExecuteUndefined(const DecodedInstr& instr, Frame& frame, LaneMask undefined, void* const* rows);
  bool ApplyGuard(const DecodedInstr& instr, Frame& frame);
  void SetUndefinedBits(Frame& frame, uint32_t row, unsigned lane, uint64_t bits);
  uint64_t UndefinedBits(const Frame& frame, uint32_t row, unsigned lane) const;
  bool FindBytes(const DecodedInstr& instr, MemorySpace space, uint64_t address, unsigned size, unsigned lane,
                 AccessKind kind, const Stored* stored, Bytes* bytes);
  // Returns the CTA that owns a shared address, or null if the cluster has no such CTA.
  Cta* OwnerOfShared(uint64_t offset) const;
  bool FindShared(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                  AccessKind kind, const Stored* stored, Bytes* bytes);
  bool FindBlock(const DecodedInstr& instr, MemorySpace space, uint64_t offset, unsigned size, unsigned lane,
                 AccessKind kind, const Stored* stored, Bytes* bytes);
  // Checks an access of `size` bytes at `offset` of the memory that the shadow describes for races. Returns false
  // after a fault. `stored` is null for a load, as in the functions above.
  bool CheckRace(const DecodedInstr& instr, AccessShadow& shadow, uint64_t offset, unsigned size, unsigned lane,
                 AccessKind kind, const Stored* stored, const Present& present);
  // Returns true if two of the lanes may store to the same bytes.
  static bool MayOverlap(absl::Span<const uint64_t> offsets, LaneMask lanes, unsigned total);
  bool FindLocal(const DecodedInstr& instr, uint64_t address, unsigned size, unsigned lane, Bytes* bytes);
  bool FindLocalLanes(absl::Span<const uint64_t> addresses, uint64_t base, unsigned total, bool is_write,
                      LanePointers* pointers);
  // `is_generic`: the address came through the generic space, which contains only the parameters of the kernel.
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
  uint64_t clock_ = 0;
  LaneMask active_ = 0;
  std::vector<Fragment> fragments_;
  size_t current_ = 0;
  uint64_t turn_ = 0;
  bool gives_way_ = false;
  uint64_t steps_since_forced_ = 0;  // steps taken while several fragments could run
  std::vector<LocalStack> local_;    // by lane
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<Frame>> free_frames_;
  std::vector<ThreadAsyncState> async_;  // by lane
};

// Returns the space of a generic address, and the address within it in `offset`.
MemorySpace SpaceOfGeneric(uint64_t address, uint64_t* offset);

// Returns the machine instruction as MIR.
std::string DescribeInstr(const DecodedInstr& instr);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_WARP_H_
