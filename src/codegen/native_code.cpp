#include "codegen/native_code.hpp"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <unistd.h>

#include <mutex>

#include "daedalus/codegen/code_cache.hpp"

namespace daedalus::codegen {

struct NativeCode::Jit {
  std::unique_ptr<llvm::orc::LLJIT> lljit;
};

namespace {

// Optimising costs 40 microseconds for each node, plain code generation about two, and the code
// runs an eighth faster (a chain of 90 capacitors, 1,000 nodes): small models get it because there
// it costs little.
constexpr std::size_t most_optimised_nodes = 400;
// Loops repeat, so that optimising them pays; with thousands of different ones it would not.
constexpr std::size_t most_optimised_loop_nodes = 20'000;

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

// The host's, with all that the CPU has.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> host() {
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (machine) machine->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return machine;
}

enum class Effort { Little, Much };

// What the code of a module depends on, as text.
std::string identity(const llvm::Module& module, const llvm::orc::JITTargetMachineBuilder& machine,
                     Effort effort) {
  llvm::SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return fmt::format("{} {} {} {}\n{}", LLVM_VERSION_STRING, machine.getCPU(),
                     machine.getFeatures().getString(), effort == Effort::Much,
                     std::string_view(bitcode.data(), bitcode.size()));
}

using Object = std::unique_ptr<llvm::MemoryBuffer>;

// A module as an object file, from the cache or compiled.
llvm::Expected<Object> object_code(llvm::Module& module, llvm::orc::JITTargetMachineBuilder machine,
                                   Effort effort, const CodeCache* cache, std::size_t& compiled) {
  machine.setCodeGenOptLevel(effort == Effort::Much ? llvm::CodeGenOptLevel::Less
                                                    : llvm::CodeGenOptLevel::None);
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> target = machine.createTargetMachine();
  if (!target) return target.takeError();
  module.setDataLayout((*target)->createDataLayout());
  module.setTargetTriple((*target)->getTargetTriple().str());
  std::string key;
  if (cache != nullptr) {
    key = digest(identity(module, machine, effort));
    if (const std::optional<std::string> found = cache->find(key))
      return llvm::MemoryBuffer::getMemBufferCopy(*found, module.getName());
  }
  ++compiled;
  if (effort == Effort::Much) optimise(module, **target);
  llvm::Expected<Object> object = llvm::orc::SimpleCompiler(**target)(module);
  if (object && cache != nullptr)
    cache->store(key, {(*object)->getBufferStart(), (*object)->getBufferSize()});
  return object;
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

std::string loop_name(std::size_t code) { return fmt::format("loop{}", code); }

// The functions of a kernel: the loop's, or those of straight-line code.
using SegmentNames = std::vector<std::string>;

// Straight-line code and loops in modules of their own: they are compiled with different effort.
struct Modules {
  llvm::LLVMContext context;
  llvm::Module straight{"straight", context}, loops{"loops", context};
  std::size_t straight_nodes = 0, loop_nodes = 0;
  std::size_t compiled = 0;                      // of the two; what is not was in the cache
  std::vector<std::vector<SegmentNames>> names;  // by kernel and segment
};

void emit(const RolledCode& code, const expr::Arena& arena, Modules& modules) {
  StraightEmitter emitter(modules.straight, arena);
  for (std::size_t i = 0; i < code.codes.size(); ++i) {
    const Shape& shape = code.shapes[code.codes[i].shape];
    emit_loop(modules.loops, shape, code.codes[i], loop_name(i));
    modules.loop_nodes += shape.size();
  }
  for (const std::vector<Segment>& kernel : code.kernels) {
    std::vector<SegmentNames>& names = modules.names.emplace_back();
    for (const Segment& segment : kernel) {
      names.push_back(segment.loop ? SegmentNames{loop_name(segment.loop->code)}
                                   : emitter.emit(segment));
    }
  }
  modules.straight_nodes = emitter.emitted_nodes();
}

llvm::Error add_objects(Modules& modules, const llvm::orc::JITTargetMachineBuilder& machine,
                        const CodeCache* cache, llvm::orc::LLJIT& jit) {
  const auto add = [&](llvm::Module& module, bool optimised) -> llvm::Error {
    if (module.empty()) return llvm::Error::success();
    llvm::Expected<Object> object = object_code(
        module, machine, optimised ? Effort::Much : Effort::Little, cache, modules.compiled);
    if (!object) return object.takeError();
    return jit.addObjectFile(std::move(*object));
  };
  if (llvm::Error error = add(modules.straight, modules.straight_nodes <= most_optimised_nodes))
    return error;
  return add(modules.loops, modules.loop_nodes <= most_optimised_loop_nodes);
}

}  // namespace

void NativeKernel::add(NativeFunction function, Loop loop) {
  const Loop& kept = loops_.emplace_back(std::move(loop));
  calls_.push_back({function,
                    {kept.count, kept.places.data(), kept.place_tables.data(),
                     kept.constants.data(), kept.constant_tables.data()}});
}

NativeCode::NativeCode(std::unique_ptr<Jit> jit, std::vector<NativeKernel> kernels,
                       bool is_from_cache)
    : jit_(std::move(jit)), kernels_(std::move(kernels)), is_from_cache_(is_from_cache) {}
NativeCode::NativeCode(NativeCode&&) noexcept = default;
NativeCode& NativeCode::operator=(NativeCode&&) noexcept = default;
NativeCode::~NativeCode() = default;

Result<NativeCode> NativeCode::compile(const expr::Arena& arena,
                                       std::vector<structure::Kernel> kernels,
                                       const CodeCache* cache) {
  initialise_llvm();
  RolledCode code = roll(std::move(kernels), arena);
  Modules modules;
  emit(code, arena, modules);
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine = host();
  if (!machine) return codegen_error(machine.takeError());
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit = make_jit(*machine);
  if (!jit) return codegen_error(jit.takeError());
  if (llvm::Error error = add_objects(modules, *machine, cache, **jit))
    return codegen_error(std::move(error));

  std::unordered_map<std::string, NativeFunction> known;  // never iterated over
  std::vector<NativeKernel> result(code.kernels.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    for (std::size_t s = 0; s < code.kernels[k].size(); ++s) {
      Segment& segment = code.kernels[k][s];
      for (const std::string& name : modules.names[k][s]) {
        NativeFunction& function = known[name];
        if (function == nullptr) {
          llvm::Expected<llvm::orc::ExecutorAddr> address = (*jit)->lookup(name);
          if (!address) return codegen_error(address.takeError());
          function = address->toPtr<NativeFunction>();
        }
        if (segment.loop) {
          result[k].add(function, std::move(*segment.loop));
        } else {
          result[k].add(function);
        }
      }
    }
  }
  return NativeCode(std::make_unique<Jit>(Jit{std::move(*jit)}), std::move(result),
                    cache != nullptr && modules.compiled == 0);
}

}  // namespace daedalus::codegen
