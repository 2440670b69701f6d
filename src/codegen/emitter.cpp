#include "codegen/emitter.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;

// Nodes in one function. Measured on a written-out ladder of 1,000 equations: at 1,500 nodes LLVM's
// scheduler, which is quadratic in the stores of a block, takes 12 times as long as at 150; below
// 100 the number of functions is what costs.
constexpr std::size_t longest_function = 150;

llvm::Function* make_function(llvm::Module& module, llvm::IRBuilder<>& builder,
                              const std::string& name) {
  llvm::Type* pointer = builder.getPtrTy();
  llvm::FunctionType* type =
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer}, false);
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i = 0; i < 3; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  return function;
}

void mark_invariant(llvm::LoadInst* load) {
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(load->getContext(), {}));
}

}  // namespace

StraightEmitter::StraightEmitter(llvm::Module& module, const expr::Arena& arena)
    : module_(module),
      arena_(arena),
      builder_(module.getContext()),
      operations_(module, builder_) {}

std::vector<std::string> StraightEmitter::emit(const Segment& segment) {
  names_.clear();
  begin_function();
  for (const structure::Assignment& assignment : segment.straight.assignments) {
    cut_if_long();
    llvm::Value* value = emit_expression(assignment.value);
    builder_.CreateStore(value, place(symbols_, assignment.target.value));
    assigned_[assignment.target.value] = value;
  }
  for (std::size_t i = 0; i < segment.straight.outputs.size(); ++i) {
    cut_if_long();
    builder_.CreateStore(emit_expression(segment.straight.outputs[i]),
                         place(outputs_, segment.output_places[i]));
  }
  end_function();
  return names_;
}

void StraightEmitter::begin_function() {
  names_.push_back(fmt::format("straight{}", function_count_++));
  llvm::Function* function = make_function(module_, builder_, names_.back());
  symbols_ = function->getArg(0);
  outputs_ = function->getArg(1);
  values_.clear();
  assigned_.clear();
  nodes_ = 0;
}

void StraightEmitter::end_function() { builder_.CreateRetVoid(); }

void StraightEmitter::cut_if_long() {
  if (nodes_ < longest_function) return;
  end_function();
  begin_function();
}

llvm::Value* StraightEmitter::place(llvm::Value* base, std::uint32_t i) {
  return builder_.CreateConstInBoundsGEP1_32(builder_.getDoubleTy(), base, i);
}

llvm::Value* StraightEmitter::emit_expression(ExprId root) {
  for (const ExprId id : walker_.post_order(arena_, root)) {
    if (values_.contains(id)) continue;
    const Operand made = emit_node(id);
    values_.emplace(id, made);
    ++nodes_;
    ++total_nodes_;
  }
  return operations_.number(values_.at(root));
}

Operand StraightEmitter::emit_node(ExprId id) {
  const expr::Node& node = arena_[id];
  if (node.op == Op::Constant) return {.number = operations_.constant(arena_.constant_value(id))};
  if (node.op == Op::Symbol) return {.number = read(node.a), .is_held = node.is_held};
  Operand* arguments[3] = {};
  const std::uint32_t places[] = {node.a, node.b, node.c};
  for (int k = 0; k < arity(node.op); ++k) arguments[k] = &values_.at(ExprId(places[k]));
  return operations_.apply(node.op, arguments[0], arguments[1], arguments[2]);
}

// What this function assigned is in a register; nothing else changes while it runs, and saying so
// keeps LLVM from ordering every load against every store, which takes quadratic time.
llvm::Value* StraightEmitter::read(std::uint32_t symbol) {
  if (const auto found = assigned_.find(symbol); found != assigned_.end()) return found->second;
  llvm::LoadInst* load = builder_.CreateLoad(builder_.getDoubleTy(), place(symbols_, symbol));
  mark_invariant(load);
  return load;
}

namespace {

// for (i = 0; i < count; ++i) target(i) = shape(slots(i))
class LoopEmitter {
 public:
  LoopEmitter(llvm::Module& module, const Shape& shape, const LoopCode& code)
      : module_(module),
        shape_(shape),
        code_(code),
        builder_(module.getContext()),
        operations_(module, builder_) {}

  void run(const std::string& name) {
    llvm::Function* function = make_function(module_, builder_, name);
    symbols_ = function->getArg(0);
    outputs_ = function->getArg(1);
    llvm::Value* loop = function->getArg(2);
    count_ = argument(loop, offsetof(LoopArguments, count), builder_.getInt64Ty());
    read_arguments(loop);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* body = llvm::BasicBlock::Create(module_.getContext(), "body", function);
    llvm::BasicBlock* after = llvm::BasicBlock::Create(module_.getContext(), "after", function);
    builder_.CreateBr(body);  // a loop runs at least once
    builder_.SetInsertPoint(body);
    counter_ = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    emit_body();
    llvm::Value* next = builder_.CreateAdd(counter_, builder_.getInt64(1), "", true, true);
    counter_->addIncoming(builder_.getInt64(0), before);
    counter_->addIncoming(next, body);
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, count_), body, after);
    builder_.SetInsertPoint(after);
    builder_.CreateRetVoid();
  }

 private:
  llvm::Value* argument(llvm::Value* loop, std::size_t offset, llvm::Type* type) {
    llvm::Value* at = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), loop, offset);
    llvm::LoadInst* load = builder_.CreateLoad(type, at);
    mark_invariant(load);
    return load;
  }

  llvm::Value* element(llvm::Value* base, llvm::Type* type, llvm::Value* i) {
    llvm::LoadInst* load = builder_.CreateLoad(type, builder_.CreateInBoundsGEP(type, base, i));
    mark_invariant(load);
    return load;
  }

  // Everything that does not change from one repetition to the next.
  void read_arguments(llvm::Value* loop) {
    llvm::Value* places = argument(loop, offsetof(LoopArguments, places), builder_.getPtrTy());
    llvm::Value* tables =
        argument(loop, offsetof(LoopArguments, place_tables), builder_.getPtrTy());
    llvm::Value* constants =
        argument(loop, offsetof(LoopArguments, constants), builder_.getPtrTy());
    llvm::Value* constant_tables =
        argument(loop, offsetof(LoopArguments, constant_tables), builder_.getPtrTy());
    std::uint64_t place_count = 0, table_count = 0;
    for (const Access access : code_.symbols) {
      places_.push_back(
          access == Access::Table
              ? table(tables, builder_.getInt32Ty(), table_count++)
              : element(places, builder_.getInt64Ty(), builder_.getInt64(place_count++)));
    }
    std::uint64_t constant_count = 0, constant_table_count = 0;
    for (const Access access : code_.constants) {
      constants_.push_back(
          access == Access::Table
              ? table(constant_tables, builder_.getDoubleTy(), constant_table_count++)
              : element(constants, builder_.getDoubleTy(), builder_.getInt64(constant_count++)));
    }
  }

  llvm::Value* table(llvm::Value* tables, llvm::Type* type, std::uint64_t number) {
    return builder_.CreateInBoundsGEP(type, tables,
                                      builder_.CreateMul(count_, builder_.getInt64(number)));
  }

  llvm::Value* address(llvm::Value* base, std::size_t slot) {
    llvm::Value* at = places_[slot];
    if (code_.symbols[slot] == Access::Consecutive)
      at = builder_.CreateAdd(at, counter_, "", true, true);
    if (code_.symbols[slot] == Access::Table)
      at = builder_.CreateZExt(element(at, builder_.getInt32Ty(), counter_), builder_.getInt64Ty());
    return builder_.CreateInBoundsGEP(builder_.getDoubleTy(), base, at);
  }

  void emit_body() {
    for (const ShapeNode& node : shape_) values_.push_back(emit_node(node));
    builder_.CreateStore(operations_.number(values_.back()),
                         address(code_.to_outputs ? outputs_ : symbols_, 0));
  }

  Operand emit_node(const ShapeNode& node) {
    switch (node.kind) {
      case ShapeNode::Kind::Literal:
        return {.number = operations_.constant(node.literal)};
      case ShapeNode::Kind::Constant:
        return {.number = code_.constants[node.a] == Access::Table
                              ? element(constants_[node.a], builder_.getDoubleTy(), counter_)
                              : constants_[node.a]};
      case ShapeNode::Kind::Symbol: {
        llvm::LoadInst* load =
            builder_.CreateLoad(builder_.getDoubleTy(), address(symbols_, node.a + 1));
        if (code_.independent) mark_invariant(load);
        return {.number = load};
      }
      case ShapeNode::Kind::Operation:
        break;
    }
    const int count = arity(node.op);
    return operations_.apply(node.op, &values_[node.a], count > 1 ? &values_[node.b] : nullptr,
                             count > 2 ? &values_[node.c] : nullptr);
  }

  llvm::Module& module_;
  const Shape& shape_;
  const LoopCode& code_;
  llvm::IRBuilder<> builder_;
  Operations operations_;
  llvm::Value *symbols_ = nullptr, *outputs_ = nullptr, *count_ = nullptr;
  llvm::PHINode* counter_ = nullptr;
  std::vector<llvm::Value*> places_, constants_;  // by slot: the number, or where its table begins
  std::vector<Operand> values_;                   // by node of the shape
};

}  // namespace

void emit_loop(llvm::Module& module, const Shape& shape, const LoopCode& code,
               const std::string& name) {
  LoopEmitter(module, shape, code).run(name);
}

}  // namespace daedalus::codegen
