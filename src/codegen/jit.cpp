#include "codegen/jit.hpp"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <unistd.h>

#include <mutex>

#include "codegen/operations.hpp"
#include "daedalus/codegen/code_cache.hpp"

namespace daedalus::codegen {
namespace {

// LLVM gives up by aborting when memory runs out; people get a sentence and an exit code instead.
void end_with_message(void*, const char* reason, bool) {
  fmt::print(stderr, "error: code generation failed: {} [codegen.fatal]\n", reason);
  std::fflush(stderr);
  _exit(1);
}

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::install_fatal_error_handler(end_with_message);
  });
}

Error codegen_error(llvm::Error error) {
  return {"codegen.failed",
          fmt::format("cannot generate code: {}", llvm::toString(std::move(error)))};
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

// The host's, with all that the CPU has. Constants lie near the code, not anywhere in memory, as
// LLVM assumes for code that is made while a program runs.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> host() {
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return machine;
  machine->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine->setRelocationModel(llvm::Reloc::PIC_);
  machine->setCodeModel(llvm::CodeModel::Small);
  return machine;
}

// What the code of a module depends on, as text.
std::string identity(const llvm::Module& module, const llvm::orc::JITTargetMachineBuilder& machine,
                     Effort effort) {
  llvm::SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return fmt::format("{} small {} {} {}\n{}", LLVM_VERSION_STRING, machine.getCPU(),
                     machine.getFeatures().getString(), static_cast<int>(effort),
                     std::string_view(bitcode.data(), bitcode.size()));
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> make_jit(
    llvm::orc::JITTargetMachineBuilder machine) {
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(std::move(machine))
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
          .create();
  if (!jit) return jit.takeError();
  llvm::orc::SymbolMap symbols;
  for (const MathFunction& function : math_functions()) {
    symbols[(*jit)->mangleAndIntern(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  if (llvm::Error error =
          (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
    return error;
  }
  return jit;
}

using Object = std::unique_ptr<llvm::MemoryBuffer>;

llvm::CodeGenOptLevel level_of(Effort effort) {
  return effort == Effort::Much ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None;
}

llvm::Expected<Object> compile(llvm::Module& module, llvm::TargetMachine& target, Effort effort) {
  if (effort != Effort::Little) optimise(module, target);
  return llvm::orc::SimpleCompiler(target)(module);
}

}  // namespace

Result<Jit> Jit::make() {
  initialise_llvm();
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine = host();
  if (!machine) return codegen_error(machine.takeError());
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> lljit = make_jit(*machine);
  if (!lljit) return codegen_error(lljit.takeError());
  return Jit(std::move(*machine), std::move(*lljit));
}

std::optional<Error> Jit::add(llvm::Module& module, Effort effort, const CodeCache* cache) {
  llvm::orc::JITTargetMachineBuilder machine = machine_;
  machine.setCodeGenOptLevel(level_of(effort));
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> target = machine.createTargetMachine();
  if (!target) return codegen_error(target.takeError());
  module.setDataLayout((*target)->createDataLayout());
  module.setTargetTriple((*target)->getTargetTriple().str());
  const std::string key = cache == nullptr ? "" : digest(identity(module, machine, effort));
  const std::optional<std::string> found = cache == nullptr ? std::nullopt : cache->find(key);
  Object object;
  if (found) {
    object = llvm::MemoryBuffer::getMemBufferCopy(*found, module.getName());
  } else {
    ++compiled_;
    llvm::Expected<Object> made = compile(module, **target, effort);
    if (!made) return codegen_error(made.takeError());
    object = std::move(*made);
    if (cache != nullptr) cache->store(key, {object->getBufferStart(), object->getBufferSize()});
  }
  if (llvm::Error error = lljit_->addObjectFile(std::move(object)))
    return codegen_error(std::move(error));
  return std::nullopt;
}

Result<void*> Jit::find(const std::string& name) {
  llvm::Expected<llvm::orc::ExecutorAddr> address = lljit_->lookup(name);
  if (!address) return codegen_error(address.takeError());
  return address->toPtr<void*>();
}

}  // namespace daedalus::codegen
