// Bugs that can be switched on, to see whether the tests would notice them.
//
// A bug is one expression at the place where a programmer might have got it wrong:
//
//     if (tracks_liveness_ && !Planted(Bug::kVerifierIgnoresKills)) ReportUse(...);
//
// tests/mutation switches one on after the other and asks which layer of checks reports it. Nothing else does.
// In optimized builds Planted is constant false: there, this header leaves no trace.

#ifndef PTXMIR_MIR_PLANTED_BUGS_H_
#define PTXMIR_MIR_PLANTED_BUGS_H_

#include <cstdint>

namespace ptxmir {

// What each does stands in tests/mutation/bug_table.h.
enum class Bug : uint8_t {
  kNone,
  // Readers of MIR.
  kReaderDropsKill,
  kReaderDropsInstrFlags,
  kReaderDropsSign,
  kReaderCutsImmediate,
  kReaderDropsMemOperands,
  kReaderTiesFirstGroup,
  kReaderDropsBundle,
  kReaderAcceptsOtherClass,
  kReaderSubtractsOffset,
  kReaderFloatSubnormal,
  kReaderSwapsOrderings,
  kReaderOveralignsOffset,
  kReaderForgetsProbability,
  kReaderMissesFallThrough,
  kReaderAcceptsUndefinedBlock,
  kReaderMergesJumpTargets,
  kReaderAssumesSsa,
  kReaderRevivesStackObjects,
  kReaderUnescapesBackwards,
  // The IR module: constants, initialisers, data layout.
  kIrFloatDropsSign,
  kIrGepIndexUnsigned,
  kIrGepIgnoresPadding,
  kIrSubtractAdds,
  kIrDropsAddend,
  kIrDropsGeneric,
  kIrStructsHaveNoTail,
  kIrAlignsOneUp,
  kIrPadsPacked,
  // Editing of machine functions.
  kEditLosesTail,
  kEditKeepsKills,
  kEditLosesLastInstr,
  kEditKeepsPredecessor,
  kEditKeepsJumpTable,
  kEditSplitKeepsPhis,
  kEditRenumberKeepsTables,
  kEditCloneDropsMemOperands,
  kEditGrowthLosesLocation,
  kEditRemovalShiftsTies,
  // The MIR writer.
  kWriterDropsDead,
  kWriterDropsImplicitDef,
  kWriterNumbersFixedStack,
  kWriterDropsAlign,
  kWriterHidesSuccessors,
  kWriterHidesProbabilities,
  kWriterLeavesBundleOpen,
  kWriterRoundsFloats,
  kWriterDropsStackOffset,
  // The verifier.
  kVerifierIgnoresKills,
  kVerifierIgnoresDominance,
  kVerifierIgnoresMissingInputs,
  kVerifierIgnoresLiveOutKill,
  kVerifierRaisesDominators,
  kVerifierIgnoresClasses,
  kVerifierIgnoresCopySizes,
  kVerifierIgnoresTargets,
  kVerifierIgnoresTerminators,
  // Passes.
  kForwardParamsVolatile,
  kForwardParamsAnyUse,
  kForwardParamsKeepsSpace,
  kProxyLeavesKills,
  kCseIgnoresOperand,
  kCseIgnoresDominance,
  kCseMergesAnyLoad,
  kCseKeepsKills,
  kRematClonesCollectives,
  kRematClonesAnyLoad,
  kRematKeepsKills,
  kRematClonesEachUse,
  kRematIgnoresLeaves,
  kRematKeepsLosses,
  kPhiAlwaysDirect,
  kPhiIgnoresOtherPhis,
  kPhiSwapsInputs,
  kPhiKillsSources,
  kPhiCopiesLate,
  kPhiForgetsUndefined,
  kPhiCopiesInOrder,
  kPhiCycleWithoutTemporary,
  kWebsIgnoreOtherReads,
  kWebsForgetUndefined,
  kWebsKeepKills,
  kClassesIgnoreInterference,
  kCoalescerFollowsAnyCopy,
  kCoalescerKeepsKills,
  kImplicitDefKeepsReaders,
  kTwoAddressSavesNothing,
  kTwoAddressMissesSecondTie,
  kTwoAddressCopiesBackwards,
  kFrameIgnoresAlignment,
  kFrameObjectsOverlap,
  kFrameDropsOffset,
  kFrameMissesGeneric,
  kFrameForgetsLastObject,
  kFrameFoldDropsOffset,
  kFrameKeepsGenericSpace,
  kMem2RegDropsSign,
  kMem2RegIgnoresEscapes,
  kMem2RegTakesAnySource,
  kFoldReplacesOffset,
  kFoldIgnoresOtherUses,
  kSinkTakesPhisInPlace,
  kSinkMovesAnyLoad,
  kSinkKeepsKills,
  kSpillerSharesAcrossBlocks,
  kSpillerStoresEarly,
  kSpillerForgetsWaysIn,
  kSpillerRematerializesAnywhere,
  kSpillsPredicatesAsZero,
  kSlotsIgnoreOverlap,
  kSlotsIgnoreLoops,
  kStackColoringIgnoresLiveIns,
  kPeepholeDropsOffset,
  kPeepholeErasesUsedAddress,
  kPostRaMoves32,
  kPostRaDropsCopy,
  // The PTX writer.
  kPtxDropsNegativeOffset,
  kPtxCutsFloat,
  kPtxModifierAtLeast,
  kPtxDropsParameter,
  kPtxDeclaresFewRegisters,
  kPtxForgetsLabel,
  kPtxUnderalignsDepot,
  kPtxUnrolls,
  kPtxAsmOperandOff,
  kPtxAsmSecondAlternative,
  kPtxReversesBytes,
  kPtxCutsLastByte,
  kPtxMasksLowByte,
  kPtxVariablesUnsorted,
  kPtxSharesDemoted,
  kPtxWeakIsVisible,
  kPtxIgnoresAddressTaken,
  kPtxRequiresMaxThreads,
  kPtxReusesNames,
  kPtxForgetsDeclarations,
};

#ifdef PTXMIR_CHECKED
namespace internal {
extern Bug planted_bug;
}  // namespace internal

// For tests. Holds for the whole process; no other thread may run meanwhile.
inline void PlantBug(Bug bug) { internal::planted_bug = bug; }
inline bool Planted(Bug bug) { return internal::planted_bug == bug; }
#else
constexpr bool Planted(Bug) { return false; }
#endif

}  // namespace ptxmir

#endif  // PTXMIR_MIR_PLANTED_BUGS_H_
