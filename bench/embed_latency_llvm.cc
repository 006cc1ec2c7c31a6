// SPDX-License-Identifier: Apache-2.0

#include "bench/embed_latency_llvm.h"

#include <llvm/CodeGen/MIRParser/MIRParser.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#include <cstdio>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace ptxmir {
namespace {

class Llvm : public LlvmCompiler {
 public:
  explicit Llvm(std::unique_ptr<llvm::TargetMachine> target) : target_(std::move(target)) {}

  std::string IrOfMir(std::string_view mir) override {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::MIRParser> parser = Parser(mir, context);
    const std::unique_ptr<llvm::Module> module = parser == nullptr ? nullptr : parser->parseIRModule();
    if (module == nullptr) return "";
    std::string text;
    llvm::raw_string_ostream out(text);
    module->print(out, nullptr);
    return text;
  }

  std::string CompileMir(std::string_view mir) override {
    // Only this option makes llc start after a pass.
    SetStart("finalize-isel");
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::MIRParser> parser = Parser(mir, context);
    const std::unique_ptr<llvm::Module> module = parser == nullptr ? nullptr : parser->parseIRModule();
    if (module == nullptr) return "";
    module->setDataLayout(target_->createDataLayout());
    // The pass manager owns it.
    auto* const info = new llvm::MachineModuleInfoWrapperPass(target_.get());
    if (parser->parseMachineFunctions(*module, info->getMMI())) {
      delete info;
      return "";
    }
    return Emit(*module, info);
  }

  std::string CompileIr(std::string_view ir) override {
    SetStart("");
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> module =
        llvm::parseIR(llvm::MemoryBufferRef(llvm::StringRef(ir.data(), ir.size()), "ir"), error, context);
    if (module == nullptr) return "";
    module->setDataLayout(target_->createDataLayout());
    return Emit(*module, nullptr);
  }

  size_t ReadMir(std::string_view mir) override {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::MIRParser> parser = Parser(mir, context);
    const std::unique_ptr<llvm::Module> module = parser == nullptr ? nullptr : parser->parseIRModule();
    if (module == nullptr) return 0;
    llvm::MachineModuleInfo info(target_.get());
    return parser->parseMachineFunctions(*module, info) ? 0 : 1;
  }

 private:
  static std::unique_ptr<llvm::MIRParser> Parser(std::string_view mir, llvm::LLVMContext& context) {
    return llvm::createMIRParser(llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(mir.data(), mir.size()), "mir"),
                                 context);
  }

  static void SetStart(const char* pass) {
    static auto* const option =
        static_cast<llvm::cl::opt<std::string>*>(llvm::cl::getRegisteredOptions().lookup("start-after"));
    option->setValue(pass);
  }

  std::string Emit(llvm::Module& module, llvm::MachineModuleInfoWrapperPass* info) {
    llvm::SmallString<0> ptx;
    llvm::raw_svector_ostream out(ptx);
    llvm::legacy::PassManager passes;
    if (target_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                     /*DisableVerify=*/true, info)) {
      return "";
    }
    passes.run(module);
    return std::string(ptx.data(), ptx.size());
  }

  std::unique_ptr<llvm::TargetMachine> target_;
};

}  // namespace

std::unique_ptr<LlvmCompiler> CreateLlvmCompiler(const std::string& cpu, const std::string& features) {
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    std::fprintf(stderr, "embed_latency: LLVM has no NVPTX: %s\n", error.c_str());
    return nullptr;
  }
  return std::make_unique<Llvm>(std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default)));
}

}  // namespace ptxmir
