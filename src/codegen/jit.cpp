#include "codegen/jit.hpp"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "codegen/operations.hpp"
#include "daedalus/codegen/code_cache.hpp"

namespace daedalus::codegen {
namespace {

// LLVM gives up by aborting; users get a message and an exit code instead.
void end_with_message(void*, const char* reason, bool) {
  fmt::print(stderr, "error: code generation failed: {} [codegen.fatal]\n", reason);
  std::fflush(stderr);
  _exit(1);
}

void throw_bad_alloc(void*, const char*, bool) { throw std::bad_alloc(); }

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::install_fatal_error_handler(end_with_message);
    llvm::install_bad_alloc_error_handler(throw_bad_alloc);
  });
}

Error codegen_error(llvm::Error error) {
  return {"codegen.failed",
          fmt::format("cannot generate code: {}", llvm::toString(std::move(error)))};
}

struct Optimiser {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::FunctionPassManager passes;
};

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort) {
  const Held<Optimiser> optimiser(new Optimiser);
  auto& [loops, functions, components, modules, passes] = *optimiser;
  const Held<llvm::PassBuilder> builder(new llvm::PassBuilder(&machine));
  builder->registerModuleAnalyses(modules);
  builder->registerCGSCCAnalyses(components);
  builder->registerFunctionAnalyses(functions);
  builder->registerLoopAnalyses(loops);
  builder->crossRegisterProxies(loops, functions, components, modules);
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  if (effort == Effort::Most) passes.addPass(llvm::SLPVectorizerPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

// For the host, with all features of its CPU. Constants are close to the code, not anywhere in
// memory as LLVM assumes for code that is generated at run time.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> host() {
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return machine;
  machine->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine->setRelocationModel(llvm::Reloc::PIC_);
  machine->setCodeModel(llvm::CodeModel::Small);
  return machine;
}

llvm::Expected<Held<llvm::orc::LLJIT>> make_jit(llvm::orc::JITTargetMachineBuilder machine) {
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> made =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(std::move(machine))
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
          .create();
  if (!made) return made.takeError();
  Held<llvm::orc::LLJIT> jit(made->release());
  llvm::orc::SymbolMap symbols;
  for (const MathFunction& function : math_functions()) {
    symbols[jit->mangleAndIntern(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  if (llvm::Error error =
          jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
    return error;
  }
  return jit;
}

llvm::CodeGenOptLevel level_of(Effort effort) {
  return effort == Effort::Little ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Less;
}

}  // namespace

Jit::Jit(llvm::orc::JITTargetMachineBuilder machine, Held<llvm::orc::LLJIT> lljit)
    : machine_(std::move(machine)),
      failure_(std::make_unique<Failure>()),
      lljit_(std::move(lljit)) {
  lljit_->getExecutionSession().setErrorReporter([&into = *failure_](llvm::Error error) {
    llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase& info) {
      into.message = info.message();
      into.is_memory |= info.convertToErrorCode() == std::errc::not_enough_memory;
    });
  });
}

Result<Jit> Jit::make() {
  initialise_llvm();
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine = host();
  if (!machine) return codegen_error(machine.takeError());
  llvm::Expected<Held<llvm::orc::LLJIT>> lljit = make_jit(*machine);
  if (!lljit) return codegen_error(lljit.takeError());
  return Jit(std::move(*machine), std::move(*lljit));
}

bool Jit::has_fused_operations() const {
  return machine_.getTargetTriple().isAArch64() ||
         std::ranges::count(machine_.getFeatures().getFeatures(), "+fma") > 0;
}

void Jit::prepare(llvm::Module& module) const {
  module.setDataLayout(lljit_->getDataLayout());
  module.setTargetTriple(machine_.getTargetTriple().str());
}

std::string bytes_of(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

std::string Jit::key(std::string_view bytes, Effort effort) const {
  return digest(fmt::format("{} small {} {} {}\n{}", LLVM_VERSION_STRING, machine_.getCPU(),
                            machine_.getFeatures().getString(), static_cast<int>(effort), bytes));
}

Result<std::string> Jit::compile(llvm::Module& prepared, Effort effort) {
  llvm::orc::JITTargetMachineBuilder machine = machine_;
  machine.setCodeGenOptLevel(level_of(effort));
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> made = machine.createTargetMachine();
  if (!made) return codegen_error(made.takeError());
  const Held<llvm::TargetMachine> target(made->release());
  ++compiled_;
  if (effort != Effort::Little) optimise(prepared, *target, effort);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      llvm::orc::SimpleCompiler(*target)(prepared);
  if (!object) return codegen_error(object.takeError());
  return (*object)->getBuffer().str();
}

std::optional<Error> Jit::link(std::string_view object) {
  llvm::Error error = lljit_->addObjectFile(
      llvm::MemoryBuffer::getMemBufferCopy({object.data(), object.size()}, "object"));
  if (error) return codegen_error(std::move(error));
  return std::nullopt;
}

std::optional<Error> Jit::add(llvm::Module& module, Effort effort, const CodeCache& cache) {
  prepare(module);
  const std::string name = cache.is_nowhere() ? "" : key(bytes_of(module), effort);
  if (const std::optional<std::string> found = cache.find(name)) return link(*found);
  const Result<std::string> object = compile(module, effort);
  if (!object) return object.error();
  cache.store(name, *object);
  return link(*object);
}

Result<void*> Jit::find(const std::string& name) {
  llvm::Expected<llvm::orc::ExecutorAddr> address = lljit_->lookup(name);
  if (!address) {
    Error error = codegen_error(address.takeError());
    if (failure_->is_memory) throw std::bad_alloc();
    error.hint = failure_->message;
    return error;
  }
  return address->toPtr<void*>();
}

std::string host_cpu() { return llvm::sys::getHostCPUName().str(); }

}  // namespace daedalus::codegen
