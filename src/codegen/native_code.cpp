#include "codegen/native_code.hpp"

#include <fmt/format.h>

#include "codegen/jit.hpp"

namespace daedalus::codegen {

namespace {

// Optimising costs 40 microseconds per node, plain code generation about two, and optimised code
// runs an eighth faster (a chain of 90 capacitors, 1,000 nodes): small models are optimised because
// it costs little there.
constexpr std::size_t most_optimised_nodes = 400;
// Loops repeat, so optimising them pays off, except with thousands of different ones.
constexpr std::size_t most_optimised_loop_nodes = 20'000;

std::string loop_name(std::size_t code) { return fmt::format("loop{}", code); }

// The functions of a kernel: the loop's, or those of straight-line code.
using SegmentNames = std::vector<std::string>;

// Straight-line code and loops are in separate modules, which are compiled with different effort.
struct Modules {
  llvm::LLVMContext context;
  llvm::Module straight{"straight", context}, loops{"loops", context};
  std::size_t straight_nodes = 0, loop_nodes = 0;
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

std::optional<Error> add_modules(Modules& modules, const CodeCache& cache, Jit& jit) {
  const auto add = [&](llvm::Module& module, bool optimised) -> std::optional<Error> {
    if (module.empty()) return std::nullopt;
    return jit.add(module, optimised ? Effort::Much : Effort::Little, cache);
  };
  if (std::optional<Error> error =
          add(modules.straight, modules.straight_nodes <= most_optimised_nodes)) {
    return error;
  }
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
                                       const CodeCache& cache) {
  RolledCode code = roll(std::move(kernels), arena);
  Result<Jit> jit = Jit::make();
  if (!jit) return jit.error();
  const Held<Modules> modules(new Modules);
  emit(code, arena, *modules);
  if (const std::optional<Error> error = add_modules(*modules, cache, *jit)) return *error;

  std::unordered_map<std::string, NativeFunction> known;  // never iterated over
  std::vector<NativeKernel> result(code.kernels.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    for (std::size_t s = 0; s < code.kernels[k].size(); ++s) {
      Segment& segment = code.kernels[k][s];
      for (const std::string& name : modules->names[k][s]) {
        NativeFunction& function = known[name];
        if (function == nullptr) {
          const Result<void*> address = jit->find(name);
          if (!address) return address.error();
          function = reinterpret_cast<NativeFunction>(*address);
        }
        if (segment.loop) {
          result[k].add(function, std::move(*segment.loop));
        } else {
          result[k].add(function);
        }
      }
    }
  }
  const bool is_from_cache = !cache.is_nowhere() && !jit->has_compiled();
  return NativeCode(std::make_unique<Jit>(std::move(*jit)), std::move(result), is_from_cache);
}

}  // namespace daedalus::codegen
