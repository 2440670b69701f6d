#include "codegen/native_code.hpp"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar.h>
#include <unistd.h>

#include <mutex>

#include "codegen/emitter.hpp"

namespace daedalus::codegen {

struct NativeCode::Jit {
  std::unique_ptr<llvm::orc::LLJIT> lljit;
};

namespace {

// Optimising costs tens of microseconds for each node, plain code generation about two. What it
// gains at run time has not been measured; small models get it because there it costs little.
constexpr std::size_t most_optimised_nodes = 1'000;

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

void optimise(llvm::Module& module) {
  llvm::legacy::FunctionPassManager passes(&module);
  passes.add(llvm::createEarlyCSEPass());
  passes.add(llvm::createInstructionCombiningPass());
  passes.doInitialization();
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function);
  }
  passes.doFinalization();
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> make_jit(bool optimised) {
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return machine.takeError();
  machine->setCodeGenOptLevel(optimised ? llvm::CodeGenOptLevel::Less
                                        : llvm::CodeGenOptLevel::None);
  machine->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(std::move(*machine))
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

}  // namespace

NativeCode::NativeCode(std::unique_ptr<Jit> jit, std::vector<std::vector<NativeFunction>> functions)
    : jit_(std::move(jit)), functions_(std::move(functions)) {}
NativeCode::NativeCode(NativeCode&&) noexcept = default;
NativeCode& NativeCode::operator=(NativeCode&&) noexcept = default;
NativeCode::~NativeCode() = default;

Result<NativeCode> NativeCode::compile(const expr::Arena& arena,
                                       std::span<const structure::Kernel> kernels) {
  initialise_llvm();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("daedalus", *context);
  Emitter emitter(*module, arena);
  std::vector<std::vector<std::string>> names;
  for (const structure::Kernel& kernel : kernels) names.push_back(emitter.emit(kernel));

  const bool optimised = emitter.emitted_nodes() <= most_optimised_nodes;
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit = make_jit(optimised);
  if (!jit) return codegen_error(jit.takeError());
  module->setDataLayout((*jit)->getDataLayout());
  module->setTargetTriple((*jit)->getTargetTriple().str());
  if (optimised) optimise(*module);
  if (llvm::Error error = (*jit)->addIRModule({std::move(module), std::move(context)})) {
    return codegen_error(std::move(error));
  }
  std::vector<std::vector<NativeFunction>> functions(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const std::string& name : names[i]) {
      llvm::Expected<llvm::orc::ExecutorAddr> address = (*jit)->lookup(name);
      if (!address) return codegen_error(address.takeError());
      functions[i].push_back(address->toPtr<NativeFunction>());
    }
  }
  return NativeCode(std::make_unique<Jit>(Jit{std::move(*jit)}), std::move(functions));
}

}  // namespace daedalus::codegen
