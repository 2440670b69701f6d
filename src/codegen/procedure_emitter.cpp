#include "codegen/procedure_emitter.hpp"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace daedalus::codegen {
namespace {

// In assignments. A shorter stretch is not worth a call.
constexpr std::size_t longest_stretch = 80;
constexpr std::size_t shortest_function = 20;

// A call exactly as written: 2^x must not become exp2(x), which rounds differently. (sin and cos of
// one argument may be computed together: that gives the same results.)
void forbid_replacement(llvm::Value* value) {
  if (auto* checked = llvm::dyn_cast_or_null<llvm::SelectInst>(value))  // pow, for NaN
    value = checked->getFalseValue();
  auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(value);
  if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return;
  const llvm::StringRef name = call->getCalledFunction()->getName();
  if (name != "sin" && name != "cos") call->addFnAttr(llvm::Attribute::NoBuiltin);
}

}  // namespace

using expr::ExprId;
using expr::Op;
using structure::Assignment;
using structure::Procedure;
using structure::Statement;

ProcedureEmitter::ProcedureEmitter(llvm::Module& module, const expr::Arena& arena,
                                   const std::vector<bool>& kept, bool has_fused_operations)
    : module_(module),
      arena_(arena),
      kept_(kept),
      has_fused_operations_(has_fused_operations),
      builder_(module.getContext()),
      operations_(module, builder_) {}

bool is_short(const Procedure& procedure) {
  constexpr std::size_t most_assignments = 300;
  return structure::count_assignments(procedure) <= most_assignments;
}

llvm::Function* ProcedureEmitter::begin_function(const std::string& name) {
  llvm::FunctionType* type =
      llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function->setDSOLocal(true);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function));
  symbols_ = function->getArg(0);
  return function;
}

void ProcedureEmitter::emit(const Procedure& procedure, const std::string& name, Form form) {
  begin_function(name);
  form_ = form;
  // A product and a sum may be one operation, which rounds once.
  llvm::FastMathFlags flags;
  flags.setAllowContract(form == Form::Whole);
  builder_.setFastMathFlags(flags);
  in_memory_.clear();
  assigned_at_all_.clear();
  users_.clear();
  collect_assigned(procedure, assigned_at_all_);
  scopes_.assign(1, {});
  if (form == Form::Cut) {
    find_what_crosses_stretches(procedure);
    emit_cut(procedure);
  } else {
    std::vector<Symbols> known(1);
    find_what_needs_memory(procedure, known);
    emit_statements(procedure);
  }
  builder_.CreateRetVoid();
}

void ProcedureEmitter::collect_assigned(const Procedure& procedure, Symbols& found) const {
  for (const Statement& statement : procedure) {
    for (const Assignment& assignment : statement.assignments)
      found.insert(assignment.target.value);
    collect_assigned(statement.body, found);
  }
}

// Walks in the order of execution; `known` are the symbols in registers, by body. A symbol that is
// read while it is in none, but is assigned elsewhere, has to be in memory there.
void ProcedureEmitter::find_what_needs_memory(const Procedure& procedure,
                                              std::vector<Symbols>& known) {
  const auto read = [&](std::uint32_t symbol) {
    for (const Symbols& body : known) {
      if (body.contains(symbol)) return;
    }
    if (assigned_at_all_.contains(symbol)) in_memory_.insert(symbol);
  };
  const auto hide = [&](const Symbols& symbols) {
    for (Symbols& body : known) {
      for (const std::uint32_t symbol : symbols) body.erase(symbol);
    }
  };
  for (const Statement& statement : procedure) {
    for (const Assignment& assignment : statement.assignments) {
      for (const ExprId id : walker_.post_order(arena_, assignment.value)) {
        if (arena_.is_symbol(id)) read(arena_.symbol_of(id).value);
      }
      known.back().insert(assignment.target.value);
    }
    if (statement.kind == Statement::Kind::Assign) continue;
    Symbols changed;
    collect_assigned(statement.body, changed);
    if (statement.kind == Statement::Kind::If) read(statement.condition.value);
    if (statement.kind == Statement::Kind::Repeat) hide(changed);
    known.emplace_back();
    find_what_needs_memory(statement.body, known);
    if (statement.kind == Statement::Kind::Repeat) read(statement.condition.value);
    known.pop_back();
    hide(changed);
    // What was assigned before the body and in it is read from memory after it.
  }
}

void ProcedureEmitter::emit_statements(const Procedure& procedure) {
  for (const Statement& statement : procedure) {
    switch (statement.kind) {
      case Statement::Kind::Assign:
        for (const Assignment& assignment : statement.assignments) assign(assignment);
        break;
      case Statement::Kind::If:
        emit_if(statement);
        break;
      case Statement::Kind::Repeat:
        emit_repeat(statement);
        break;
    }
  }
}

void ProcedureEmitter::assign(const Assignment& assignment) {
  const std::uint32_t symbol = assignment.target.value;
  llvm::Value* value = emit_expression(assignment.value);
  // What was computed from the old value must not be found again.
  if (find(arena_.find_symbol(assignment.target)) != nullptr) forget({symbol});
  if (kept_[symbol] || in_memory_.contains(symbol)) builder_.CreateStore(value, place(symbol));
  scopes_.back().assigned[symbol] = value;
}

// The symbols and what was computed from them. Each use is visited once: what is computed again is
// recorded again.
void ProcedureEmitter::forget(const Symbols& changed) {
  std::vector<ExprId> stale;
  for (const std::uint32_t symbol : changed) {
    for (Scope& scope : scopes_) scope.assigned.erase(symbol);
    const ExprId id = arena_.find_symbol(expr::SymbolId(symbol));
    if (!id.is_none()) stale.push_back(id);
  }
  while (!stale.empty()) {
    const ExprId id = stale.back();
    stale.pop_back();
    for (Scope& scope : scopes_) scope.values.erase(id);
    if (const auto found = users_.find(id); found != users_.end()) {
      stale.insert(stale.end(), found->second.begin(), found->second.end());
      users_.erase(found);
    }
  }
}

// Whether the node is one of the symbols, or an argument is among the nodes.
bool ProcedureEmitter::depends_on(ExprId id, const Symbols& symbols,
                                  const std::unordered_set<ExprId>& nodes) const {
  const expr::Node& node = arena_[id];
  if (node.op == Op::Symbol) return symbols.contains(node.a);
  const std::uint32_t arguments[] = {node.a, node.b, node.c};
  for (int k = 0; k < arity(node.op); ++k) {
    if (nodes.contains(ExprId(arguments[k]))) return true;
  }
  return false;
}

void ProcedureEmitter::collect_changing(const Procedure& procedure, Scope& scope) {
  for (const Statement& statement : procedure) {
    for (const Assignment& assignment : statement.assignments) {
      for (const ExprId id : walker_.post_order(arena_, assignment.value)) {
        if (depends_on(id, scope.changed, scope.changing)) scope.changing.insert(id);
      }
    }
    collect_changing(statement.body, scope);
  }
}

void ProcedureEmitter::emit_if(const Statement& statement) {
  Scope scope;
  collect_assigned(statement.body, scope.changed);
  collect_changing(statement.body, scope);
  llvm::Value* condition = holds(statement.condition);
  llvm::Function* function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock* body = llvm::BasicBlock::Create(module_.getContext(), "then", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(module_.getContext(), "after", function);
  builder_.CreateCondBr(condition, body, after);
  builder_.SetInsertPoint(body);
  const Symbols changed = scope.changed;
  emit_body(statement, std::move(scope));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  forget(changed);
}

void ProcedureEmitter::emit_repeat(const Statement& statement) {
  Scope scope;
  collect_assigned(statement.body, scope.changed);
  collect_changing(statement.body, scope);
  const Symbols changed = scope.changed;
  forget(changed);
  emit_ahead(statement.body, scope);
  llvm::Function* function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock* body = llvm::BasicBlock::Create(module_.getContext(), "repeat", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(module_.getContext(), "after", function);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  scopes_.push_back(std::move(scope));
  emit_statements(statement.body);
  builder_.CreateCondBr(holds(statement.condition), body, after);
  scopes_.pop_back();
  builder_.SetInsertPoint(after);
  forget(changed);
}

void ProcedureEmitter::emit_body(const Statement& statement, Scope scope) {
  scopes_.push_back(std::move(scope));
  emit_statements(statement.body);
  scopes_.pop_back();
}

// Emits what the body does not change before it.
void ProcedureEmitter::emit_ahead(const Procedure& body, Scope& scope) {
  for (const Statement& statement : body) {
    for (const Assignment& assignment : statement.assignments) {
      const std::span<const ExprId> order = walker_.post_order(arena_, assignment.value);
      const std::vector<ExprId> nodes(order.begin(), order.end());
      for (const ExprId id : nodes) {
        if (scope.changing.contains(id) || find(id) != nullptr) continue;
        add_node(id);
      }
    }
    emit_ahead(statement.body, scope);
  }
}

// A stretch starts with nothing in registers: what it reads before assigning it, and conditions,
// come from memory.
void ProcedureEmitter::find_what_crosses_stretches(const Procedure& procedure) {
  Symbols known;
  for (const Statement& statement : procedure) {
    if (statement.kind != Statement::Kind::Assign) in_memory_.insert(statement.condition.value);
    for (std::size_t i = 0; i < statement.assignments.size(); ++i) {
      if (i % longest_stretch == 0) known.clear();
      const Assignment& assignment = statement.assignments[i];
      for (const ExprId id : walker_.post_order(arena_, assignment.value)) {
        if (!arena_.is_symbol(id)) continue;
        const std::uint32_t symbol = arena_.symbol_of(id).value;
        if (!known.contains(symbol)) in_memory_.insert(symbol);
      }
      known.insert(assignment.target.value);
    }
    find_what_crosses_stretches(statement.body);
  }
}

void ProcedureEmitter::emit_cut(const Procedure& procedure) {
  for (const Statement& statement : procedure) {
    if (statement.kind == Statement::Kind::Assign) {
      emit_cut_assignments(statement.assignments);
      continue;
    }
    const bool is_choice = statement.kind == Statement::Kind::If;
    llvm::Function* function = builder_.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) {
      return llvm::BasicBlock::Create(module_.getContext(), name, function);
    };
    llvm::BasicBlock* body = block(is_choice ? "then" : "repeat");
    llvm::BasicBlock* after = block("after");
    if (is_choice)
      builder_.CreateCondBr(holds(statement.condition), body, after);
    else
      builder_.CreateBr(body);
    builder_.SetInsertPoint(body);
    emit_cut(statement.body);
    if (is_choice)
      builder_.CreateBr(after);
    else
      builder_.CreateCondBr(holds(statement.condition), body, after);
    builder_.SetInsertPoint(after);
  }
}

void ProcedureEmitter::emit_cut_assignments(std::span<const Assignment> assignments) {
  for (std::size_t first = 0; first < assignments.size(); first += longest_stretch) {
    const auto stretch =
        assignments.subspan(first, std::min(longest_stretch, assignments.size() - first));
    if (stretch.size() < shortest_function) {
      emit_stretch(stretch);
      continue;
    }
    const auto caller = builder_.saveIP();
    llvm::Value* symbols = symbols_;
    llvm::Function* function = begin_function(fmt::format("stretch{}", stretches_++));
    emit_stretch(stretch);
    builder_.CreateRetVoid();
    builder_.restoreIP(caller);
    symbols_ = symbols;
    builder_.CreateCall(function, {symbols});
  }
}

void ProcedureEmitter::emit_stretch(std::span<const Assignment> stretch) {
  for (const Assignment& assignment : stretch) assign(assignment);
  scopes_.assign(1, {});
  users_.clear();
}

llvm::Value* ProcedureEmitter::holds(expr::SymbolId condition) {
  return builder_.CreateFCmpUNE(read(condition.value), operations_.constant(0.0));
}

// From the innermost body outwards, as far as the expression does not change. An operand of an
// outer body is copied: its other form, made here, would not be known there.
Operand* ProcedureEmitter::find(ExprId id) {
  if (id.is_none()) return nullptr;
  for (std::size_t k = scopes_.size(); k-- > 0;) {
    if (const auto found = scopes_[k].values.find(id); found != scopes_[k].values.end())
      return &scopes_.back().values.emplace(id, found->second).first->second;
    if (scopes_[k].changing.contains(id)) return nullptr;
  }
  return nullptr;
}

llvm::Value* ProcedureEmitter::emit_expression(ExprId root) {
  for (const ExprId id : walker_.post_order(arena_, root)) {
    if (find(id) == nullptr) add_node(id);
  }
  return operations_.number(*find(root));
}

void ProcedureEmitter::add_node(ExprId id) {
  const Operand made = emit_node(id);
  scopes_.back().values.emplace(id, made);
  const expr::Node& node = arena_[id];
  if (node.op == Op::Symbol) return;
  const std::uint32_t arguments[] = {node.a, node.b, node.c};
  for (int k = 0; k < arity(node.op); ++k) users_[ExprId(arguments[k])].push_back(id);
}

Operand ProcedureEmitter::emit_node(ExprId id) {
  const expr::Node& node = arena_[id];
  if (form_ == Form::Cut) {
    if (llvm::Value* value = fused(node)) return {.number = value};
    if (node.op == Op::Negate)
      return {.number = negative(operations_.number(*find(ExprId(node.a))))};
  }
  if (node.op == Op::Constant) return {.number = operations_.constant(arena_.constant_value(id))};
  if (node.op == Op::Symbol) return {.number = read(node.a), .is_held = node.is_held};
  Operand* arguments[3] = {};
  const std::uint32_t places[] = {node.a, node.b, node.c};
  for (int k = 0; k < arity(node.op); ++k) arguments[k] = find(ExprId(places[k]));
  const Operand made = operations_.apply(node.op, arguments[0], arguments[1], arguments[2]);
  if (form_ == Form::Cut) forbid_replacement(made.number);
  return made;
}

// As a difference: LLVM's fast instruction selection moves a number through an integer register to
// change its sign.
llvm::Value* ProcedureEmitter::negative(llvm::Value* number) {
  return builder_.CreateFSub(operations_.constant(-0.0), number);
}

// a b + c and the like as one operation; none for other nodes. A product with no other reader is
// not computed.
llvm::Value* ProcedureEmitter::fused(const expr::Node& sum) {
  if (!has_fused_operations_ || (sum.op != Op::Add && sum.op != Op::Subtract)) return nullptr;
  const bool right_is_product = arena_[ExprId(sum.b)].op == Op::Multiply;
  const expr::Node& product = arena_[ExprId(right_is_product ? sum.b : sum.a)];
  if (product.op != Op::Multiply) return nullptr;
  const auto number = [&](std::uint32_t argument) {
    return operations_.number(*find(ExprId(argument)));
  };
  llvm::Value* a = number(product.a);
  llvm::Value* c = number(right_is_product ? sum.a : sum.b);
  if (sum.op == Op::Subtract) {
    llvm::Value*& subtracted = right_is_product ? a : c;
    subtracted = negative(subtracted);
  }
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {builder_.getDoubleTy()},
                                  {a, number(product.b), c});
}

llvm::Value* ProcedureEmitter::read(std::uint32_t symbol) {
  for (std::size_t k = scopes_.size(); k-- > 0;) {
    if (const auto found = scopes_[k].assigned.find(symbol); found != scopes_[k].assigned.end())
      return found->second;
  }
  llvm::LoadInst* load = builder_.CreateLoad(builder_.getDoubleTy(), place(symbol));
  if (!assigned_at_all_.contains(symbol)) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(load->getContext(), {}));
  }
  return load;
}

llvm::Value* ProcedureEmitter::place(std::uint32_t symbol) {
  return builder_.CreateConstInBoundsGEP1_32(builder_.getDoubleTy(), symbols_, symbol);
}

}  // namespace daedalus::codegen
