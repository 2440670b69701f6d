#include "daedalus/codegen/procedure_code.hpp"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <stdexcept>

#include "codegen/jit.hpp"
#include "codegen/procedure_emitter.hpp"
#include "daedalus/base/archive.hpp"

namespace daedalus::codegen {
namespace {

using Objects = std::vector<std::string>;

std::string name_of(std::size_t procedure) { return fmt::format("procedure{}", procedure); }

// The object files of an optimised module, one for each of its functions.
std::optional<Objects> find_objects(const CodeCache& cache, const std::string& key) {
  const std::optional<std::string> bytes = cache.find(key);
  if (!bytes) return std::nullopt;
  Objects objects;
  try {
    Archive reader(*bytes);
    reader(objects);
    if (!reader.is_at_end()) return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  return objects;
}

void keep_objects(const CodeCache& cache, const std::string& key, const Objects& objects) {
  Archive writer;
  writer.write(objects);
  cache.store(key, writer.bytes());
}

// A module with this function alone; the others are declared as external.
Held<llvm::Module> module_of(const llvm::Function& function) {
  const Held<llvm::ValueToValueMapTy> places(new llvm::ValueToValueMapTy);
  const auto is_wanted = [&](const llvm::GlobalValue* value) { return value == &function; };
  return Held<llvm::Module>(llvm::CloneModule(*function.getParent(), *places, is_wanted).release());
}

// Function by function, so that it can stop between any two of them.
std::optional<Objects> compile_optimised(const std::string& bitcode, Jit& jit,
                                         const std::stop_token& stop) {
  const Held<llvm::LLVMContext> context(new llvm::LLVMContext);
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed =
      llvm::parseBitcodeFile({bitcode, "procedures"}, *context);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const Held<llvm::Module> module(parsed->release());
  Objects objects;
  for (const llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    if (stop.stop_requested()) return std::nullopt;
    Result<std::string> object = jit.compile(*module_of(function), Effort::Most);
    if (!object) return std::nullopt;
    objects.push_back(std::move(*object));
  }
  return objects;
}

std::optional<Error> link_all(const Objects& objects, Jit& jit) {
  for (const std::string& object : objects) {
    if (std::optional<Error> error = jit.link(object)) return error;
  }
  return std::nullopt;
}

}  // namespace

ProcedureCode::ProcedureCode(std::unique_ptr<Jit> jit, std::vector<ProcedureFunction> functions,
                             std::string quick)
    : jit_(std::move(jit)), functions_(std::move(functions)), quick_(std::move(quick)) {}
ProcedureCode::ProcedureCode(ProcedureCode&&) noexcept = default;
ProcedureCode& ProcedureCode::operator=(ProcedureCode&&) noexcept = default;
ProcedureCode::~ProcedureCode() = default;

Result<ProcedureCode> ProcedureCode::make(Jit jit, std::size_t count, std::string quick) {
  std::vector<ProcedureFunction> functions;
  for (std::size_t i = 0; i < count; ++i) {
    const Result<void*> address = jit.find(name_of(i));
    if (!address) return address.error();
    functions.push_back(reinterpret_cast<ProcedureFunction>(*address));
  }
  return ProcedureCode(std::make_unique<Jit>(std::move(jit)), std::move(functions),
                       std::move(quick));
}

Result<ProcedureCode> ProcedureCode::compile(
    const expr::Arena& arena, const std::vector<const structure::Procedure*>& procedures,
    const std::vector<bool>& kept, const CodeCache& cache) {
  const bool are_short =
      std::ranges::all_of(procedures, [](const auto* procedure) { return is_short(*procedure); });
  Result<Jit> jit = Jit::make();
  if (!jit) return jit.error();
  const Held<llvm::LLVMContext> context(new llvm::LLVMContext);
  const Held<llvm::Module> held(new llvm::Module("procedures", *context));
  llvm::Module& module = *held;
  ProcedureEmitter emitter(module, arena, kept, jit->has_fused_operations());
  for (std::size_t i = 0; i < procedures.size(); ++i)
    emitter.emit(*procedures[i], name_of(i), are_short ? Form::Whole : Form::Cut);
  if (are_short) {
    if (const std::optional<Error> error = jit->add(module, Effort::Much, cache)) return *error;
    return make(std::move(*jit), procedures.size(), {});
  }
  jit->prepare(module);
  std::string bitcode = bytes_of(module);
  if (const auto objects = find_objects(cache, jit->key(bitcode, Effort::Most))) {
    if (const std::optional<Error> error = link_all(*objects, *jit)) return *error;
    return make(std::move(*jit), procedures.size(), {});
  }
  if (const std::optional<Error> error = jit->add(module, Effort::Little, cache)) return *error;
  return make(std::move(*jit), procedures.size(), std::move(bitcode));
}

std::optional<ProcedureCode> ProcedureCode::optimise(const std::stop_token& stop,
                                                     const CodeCache& cache) const {
  if (is_optimised()) return std::nullopt;
  Result<Jit> jit = Jit::make();
  if (!jit) return std::nullopt;
  const std::optional<Objects> objects = compile_optimised(quick_, *jit, stop);
  if (!objects) return std::nullopt;
  if (!cache.is_nowhere()) keep_objects(cache, jit->key(quick_, Effort::Most), *objects);
  if (link_all(*objects, *jit)) return std::nullopt;
  Result<ProcedureCode> code = make(std::move(*jit), functions_.size(), {});
  if (!code) return std::nullopt;
  return std::move(*code);
}

}  // namespace daedalus::codegen
