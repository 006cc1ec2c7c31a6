// SPDX-License-Identifier: Apache-2.0

// Moves matrices between shared memory and registers, and within registers: ldmatrix, stmatrix, movmatrix.
//
// matrix_layout.h says where each byte goes. Only the lanes that provide the address of a row need a valid address.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/collective_groups.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/interpreter/values/matrix_layout.h"

namespace ptxmir::ptx {
namespace {

constexpr unsigned kRowBytes = 16;
constexpr unsigned kRegisterBytes = 4;

// KernelParams: a is the MatrixLayout, b the MemorySpace, c the bits of a field in memory.
MatrixLayout LayoutOf(const DecodedInstr& instr) { return static_cast<MatrixLayout>(instr.params.a); }

struct TrackedRow {
  MatrixRow data{};
  MatrixRow undefined{};
};

bool LoadRow(Warp& warp, const DecodedInstr& instr, unsigned lane, TrackedRow* row) {
  uint64_t address = 0;
  if (!warp.ReadAddress(instr, instr.num_results, lane, &address) ||
      !warp.Load(instr, static_cast<MemorySpace>(instr.params.b), address, kRowBytes, lane, AccessKind::kPlain,
                 row->data.data(), row->undefined.data())) {
    return false;
  }
  row->data = UnpackRow(row->data, instr.params.c);
  row->undefined = UnpackRow(row->undefined, instr.params.c);
  return true;
}

bool LoadMatrices(Warp& warp, const DecodedInstr& instr, LaneMask group) {
  std::vector<TrackedRow> rows(MatrixRows(instr.num_results));
  for (unsigned lane = 0; lane < rows.size(); ++lane) {
    if ((group >> lane & 1) == 0) {
      rows[lane].undefined.fill(0xff);
    } else if (!LoadRow(warp, instr, lane, &rows[lane])) {
      return false;
    }
  }
  ForEachLane(group, [&](unsigned lane) {
    for (unsigned reg = 0; reg < instr.num_results; ++reg) {
      LaneValue value;
      for (unsigned i = 0; i < kRegisterBytes; ++i) {
        const MatrixByte at = FindMatrixByte(LayoutOf(instr), lane, reg, i);
        value.value |= uint64_t{rows[at.row].data[at.byte]} << (8 * i);
        value.undefined |= uint64_t{rows[at.row].undefined[at.byte]} << (8 * i);
      }
      warp.Write(instr, reg, lane, value);
    }
  });
  return true;
}

// Operands: the address, then the registers.
bool StoreMatrices(Warp& warp, const DecodedInstr& instr, LaneMask group) {
  const unsigned registers = instr.num_operands - 1u;
  std::vector<TrackedRow> rows(MatrixRows(registers));
  for (TrackedRow& row : rows) row.undefined.fill(0xff);
  ForEachLane(group, [&](unsigned lane) {
    for (unsigned reg = 0; reg < registers; ++reg) {
      const LaneValue value = warp.Read(instr, 1 + reg, lane);
      for (unsigned i = 0; i < kRegisterBytes; ++i) {
        const MatrixByte at = FindMatrixByte(LayoutOf(instr), lane, reg, i);
        rows[at.row].data[at.byte] = static_cast<uint8_t>(value.value >> (8 * i));
        rows[at.row].undefined[at.byte] = static_cast<uint8_t>(value.undefined >> (8 * i));
      }
    }
  });
  for (unsigned lane = 0; lane < rows.size(); ++lane) {
    if ((group >> lane & 1) == 0) continue;
    uint64_t address = 0;
    if (!warp.ReadAddress(instr, 0, lane, &address) ||
        !warp.Store(instr, static_cast<MemorySpace>(instr.params.b), address, kRowBytes, lane, AccessKind::kPlain,
                    rows[lane].data.data(), rows[lane].undefined.data())) {
      return false;
    }
  }
  return true;
}

// Computes the transpose of an 8x8 matrix: the result of storing it and loading it transposed.
bool MoveMatrix(Warp& warp, const DecodedInstr& instr, LaneMask group) {
  std::array<TrackedRow, 8> rows;
  for (TrackedRow& row : rows) row.undefined.fill(0xff);
  ForEachLane(group, [&](unsigned lane) {
    const LaneValue value = warp.Read(instr, 1, lane);
    for (unsigned i = 0; i < kRegisterBytes; ++i) {
      const MatrixByte at = FindMatrixByte(MatrixLayout::kBytes, lane, 0, i);
      rows[at.row].data[at.byte] = static_cast<uint8_t>(value.value >> (8 * i));
      rows[at.row].undefined[at.byte] = static_cast<uint8_t>(value.undefined >> (8 * i));
    }
  });
  ForEachLane(group, [&](unsigned lane) {
    LaneValue value;
    for (unsigned i = 0; i < kRegisterBytes; ++i) {
      const MatrixByte at = FindMatrixByte(MatrixLayout::kTransposed16, lane, 0, i);
      value.value |= uint64_t{rows[at.row].data[at.byte]} << (8 * i);
      value.undefined |= uint64_t{rows[at.row].undefined[at.byte]} << (8 * i);
    }
    warp.Write(instr, 0, lane, value);
  });
  return true;
}

template <auto kGroupFunction>
StepResult RunMatrixMove(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask group) {
    const bool ok = kGroupFunction(warp, instr, group);
    warp.OrderLanes(group);  // no lane goes on before all have read or written
    return ok;
  });
}

// ---- Resolvers.

bool Resolve(WarpKernel kernel, MatrixLayout layout, const Mnemonic& mnemonic, Semantics* semantics) {
  const bool is_shared = mnemonic.Has("shared") || mnemonic.Has("shared::cta");
  semantics->warp = kernel;
  semantics->category = InstrCategory::kTensor;
  semantics->params.a = static_cast<uint32_t>(layout);
  semantics->params.b = static_cast<uint32_t>(is_shared ? MemorySpace::kShared : MemorySpace::kGeneric);
  semantics->params.c = 8;
  if (mnemonic.Has("b6x16_p32")) semantics->params.c = 6;
  if (mnemonic.Has("b4x16_p64")) semantics->params.c = 4;
  return mnemonic.Has("sync");
}

unsigned NumMatrices(const Mnemonic& mnemonic) {
  return mnemonic.Has("x4") ? 4 : mnemonic.Has("x2") ? 2 : mnemonic.Has("x1") ? 1 : 0;
}

bool ResolveMatrixLoad(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const bool transposed = mnemonic.Has("trans");
  unsigned registers = NumMatrices(mnemonic);
  MatrixLayout layout = MatrixLayout::kBytes;
  if (mnemonic.Has("m16n16")) {
    if (!transposed || registers > 2) return false;
    registers *= 2;
    layout = MatrixLayout::kLoadTransposed;
  } else if (mnemonic.Has("m8n8")) {
    if (transposed) layout = MatrixLayout::kTransposed16;
  } else if (!mnemonic.Has("m8n16") || transposed) {
    return false;
  }
  return registers != 0 && statement.operands.size() == registers + 1 &&
         Resolve(&RunMatrixMove<&LoadMatrices>, layout, mnemonic, semantics);
}

bool ResolveMatrixStore(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const bool transposed = mnemonic.Has("trans");
  MatrixLayout layout = transposed ? MatrixLayout::kTransposed16 : MatrixLayout::kBytes;
  if (mnemonic.Has("m16n8")) {
    if (!transposed) return false;
    layout = MatrixLayout::kStoreTransposed;
  } else if (!mnemonic.Has("m8n8")) {
    return false;
  }
  const unsigned registers = NumMatrices(mnemonic);
  return registers != 0 && statement.operands.size() == registers + 1 &&
         Resolve(&RunMatrixMove<&StoreMatrices>, layout, mnemonic, semantics);
}

bool ResolveMove(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  return mnemonic.Has("m8n8") && mnemonic.Has("trans") && statement.operands.size() == 2 &&
         Resolve(&RunMatrixMove<&MoveMatrix>, MatrixLayout::kTransposed16, mnemonic, semantics);
}

}  // namespace

absl::Span<const ResolverEntry> MatrixResolvers() {
  static constexpr ResolverEntry kEntries[] = {
      {"ldmatrix", &ResolveMatrixLoad}, {"stmatrix", &ResolveMatrixStore}, {"movmatrix", &ResolveMove}};
  return kEntries;
}

}  // namespace ptxmir::ptx
