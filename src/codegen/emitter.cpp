#include "codegen/emitter.hpp"

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>

#include <array>
#include <cmath>

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;

// Nodes in one function. Measured on a written-out ladder of 1,000 equations: at 1,500 nodes LLVM's
// scheduler, which is quadratic in the stores of a block, takes 12 times as long as at 150; below
// 100 the number of functions costs.
constexpr std::size_t longest_function = 150;
constexpr int largest_unrolled_power = 16;

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

using Unary = double(double);
using Binary = double(double, double);

}  // namespace

std::span<const MathFunction> math_functions() {
  // exp2, exp10, cbrt and sincos are there because LLVM may turn calls of the others into them.
  static const std::array<MathFunction, 22> all = {{
      {"sin", address_of<Unary>(std::sin)},
      {"cos", address_of<Unary>(std::cos)},
      {"tan", address_of<Unary>(std::tan)},
      {"asin", address_of<Unary>(std::asin)},
      {"acos", address_of<Unary>(std::acos)},
      {"atan", address_of<Unary>(std::atan)},
      {"sinh", address_of<Unary>(std::sinh)},
      {"cosh", address_of<Unary>(std::cosh)},
      {"tanh", address_of<Unary>(std::tanh)},
      {"exp", address_of<Unary>(std::exp)},
      {"log", address_of<Unary>(std::log)},
      {"log10", address_of<Unary>(std::log10)},
      {"floor", address_of<Unary>(std::floor)},
      {"ceil", address_of<Unary>(std::ceil)},
      {"trunc", address_of<Unary>(std::trunc)},
      {"exp2", address_of<Unary>(std::exp2)},
      {"exp10", address_of<Unary>(::exp10)},
      {"cbrt", address_of<Unary>(std::cbrt)},
      {"pow", address_of<Binary>(std::pow)},
      {"atan2", address_of<Binary>(std::atan2)},
      {"ldexp", address_of<double(double, int)>(std::ldexp)},
      {"sincos", address_of<void(double, double*, double*)>(::sincos)},
  }};
  return all;
}

Emitter::Emitter(llvm::Module& module, const expr::Arena& arena)
    : module_(module), arena_(arena), builder_(module.getContext()) {}

std::vector<std::string> Emitter::emit(const structure::Kernel& kernel) {
  names_.clear();
  begin_function();
  for (const structure::Assignment& assignment : kernel.assignments) {
    cut_if_long();
    llvm::Value* value = emit_expression(assignment.value);
    builder_.CreateStore(value, place(symbols_, assignment.target.value));
    assigned_[assignment.target.value] = value;
  }
  for (std::uint32_t i = 0; i < kernel.outputs.size(); ++i) {
    cut_if_long();
    builder_.CreateStore(emit_expression(kernel.outputs[i]), place(outputs_, i));
  }
  end_function();
  return names_;
}

void Emitter::begin_function() {
  llvm::Type* pointer = builder_.getPtrTy();
  llvm::FunctionType* type =
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer}, false);
  names_.push_back(fmt::format("kernel{}", function_count_++));
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, names_.back(), module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  symbols_ = function_->getArg(0);
  outputs_ = function_->getArg(1);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(1, llvm::Attribute::NoAlias);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function_));
  numbers_.clear();
  conditions_.clear();
  assigned_.clear();
  nodes_ = 0;
}

void Emitter::end_function() { builder_.CreateRetVoid(); }

void Emitter::cut_if_long() {
  if (nodes_ < longest_function) return;
  end_function();
  begin_function();
}

llvm::Value* Emitter::place(llvm::Value* base, std::uint32_t i) {
  return builder_.CreateConstInBoundsGEP1_32(builder_.getDoubleTy(), base, i);
}

llvm::Value* Emitter::number(ExprId id) {
  if (const auto found = numbers_.find(id); found != numbers_.end()) return found->second;
  llvm::Value* value = builder_.CreateUIToFP(conditions_.at(id), builder_.getDoubleTy());
  return numbers_[id] = value;
}

llvm::Value* Emitter::condition(ExprId id) {
  if (const auto found = conditions_.find(id); found != conditions_.end()) return found->second;
  llvm::Value* zero = llvm::ConstantFP::get(builder_.getDoubleTy(), 0.0);
  return conditions_[id] = builder_.CreateFCmpUNE(numbers_.at(id), zero);
}

llvm::Value* Emitter::emit_expression(ExprId root) {
  for (const ExprId id : walker_.post_order(arena_, root)) {
    if (numbers_.contains(id) || conditions_.contains(id)) continue;
    emit_node(id);
    ++nodes_;
    ++total_nodes_;
  }
  return number(root);
}

void Emitter::emit_node(ExprId id) {
  const expr::Node& node = arena_[id];
  const bool is_truth =
      is_relation(node.op) || node.op == Op::And || node.op == Op::Or || node.op == Op::Not;
  if (is_truth) {
    conditions_[id] = emit_condition(node);
    return;
  }
  switch (arity(node.op)) {
    case 0:
      numbers_[id] = node.op == Op::Constant
                         ? llvm::ConstantFP::get(builder_.getDoubleTy(), arena_.constant_value(id))
                         : read(node.a);
      break;
    case 1:
      numbers_[id] = emit_unary(node);
      break;
    case 2:
      numbers_[id] = emit_binary(node);
      break;
    default:
      numbers_[id] = builder_.CreateSelect(condition(ExprId(node.a)), number(ExprId(node.b)),
                                           number(ExprId(node.c)));
  }
}

// What this function assigned is at hand; all else does not change while it runs, and saying so
// keeps LLVM from ordering every load against every store, which costs quadratic time.
llvm::Value* Emitter::read(std::uint32_t symbol) {
  if (const auto found = assigned_.find(symbol); found != assigned_.end()) return found->second;
  llvm::LoadInst* load = builder_.CreateLoad(builder_.getDoubleTy(), place(symbols_, symbol));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(module_.getContext(), {}));
  return load;
}

llvm::Value* Emitter::call(const char* name, std::initializer_list<llvm::Value*> arguments) {
  const std::vector<llvm::Type*> types(arguments.size(), builder_.getDoubleTy());
  llvm::FunctionCallee callee = module_.getOrInsertFunction(
      name, llvm::FunctionType::get(builder_.getDoubleTy(), types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::WillReturn);
  return builder_.CreateCall(callee,
                             llvm::ArrayRef<llvm::Value*>(arguments.begin(), arguments.size()));
}

llvm::Value* Emitter::emit_unary(const expr::Node& node) {
  llvm::Value* a = number(ExprId(node.a));
  const auto intrinsic = [&](llvm::Intrinsic::ID id) {
    return builder_.CreateUnaryIntrinsic(id, a);
  };
  llvm::Value* zero = llvm::ConstantFP::get(builder_.getDoubleTy(), 0.0);
  switch (node.op) {
    case Op::Negate:
      return builder_.CreateFNeg(a);
    case Op::Sqrt:
      return intrinsic(llvm::Intrinsic::sqrt);
    case Op::Abs:
      return intrinsic(llvm::Intrinsic::fabs);
    case Op::Floor:
      return intrinsic(llvm::Intrinsic::floor);
    case Op::Ceil:
      return intrinsic(llvm::Intrinsic::ceil);
    case Op::Sign: {
      llvm::Value* negative = builder_.CreateSelect(
          builder_.CreateFCmpOLT(a, zero), llvm::ConstantFP::get(builder_.getDoubleTy(), -1.0), a);
      return builder_.CreateSelect(builder_.CreateFCmpOGT(a, zero),
                                   llvm::ConstantFP::get(builder_.getDoubleTy(), 1.0), negative);
    }
    default:
      return call(expr::op_name(node.op).data(), {a});
  }
}

llvm::Value* Emitter::emit_binary(const expr::Node& node) {
  const ExprId left(node.a), right(node.b);
  if (node.op == Op::Power) return emit_power(left, right);
  llvm::Value *a = number(left), *b = number(right);
  const auto turns = [&](llvm::Intrinsic::ID rounding) {
    return builder_.CreateUnaryIntrinsic(rounding, builder_.CreateFDiv(a, b));
  };
  switch (node.op) {
    case Op::Add:
      return builder_.CreateFAdd(a, b);
    case Op::Subtract:
      return builder_.CreateFSub(a, b);
    case Op::Multiply:
      return builder_.CreateFMul(a, b);
    case Op::Divide:
      return builder_.CreateFDiv(a, b);
    case Op::Min:
      return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), a, b);
    case Op::Max:
      return builder_.CreateSelect(builder_.CreateFCmpOGT(a, b), a, b);
    case Op::Quotient:
      return turns(llvm::Intrinsic::trunc);
    case Op::Modulo:
      return builder_.CreateFSub(a, builder_.CreateFMul(turns(llvm::Intrinsic::floor), b));
    case Op::Remainder:
      return builder_.CreateFSub(a, builder_.CreateFMul(turns(llvm::Intrinsic::trunc), b));
    default:
      return call("atan2", {a, b});
  }
}

llvm::Value* Emitter::emit_condition(const expr::Node& node) {
  const ExprId left(node.a), right(node.b);
  switch (node.op) {
    case Op::Not:
      return builder_.CreateNot(condition(left));
    case Op::And:
      return builder_.CreateAnd(condition(left), condition(right));
    case Op::Or:
      return builder_.CreateOr(condition(left), condition(right));
    case Op::Less:
      return builder_.CreateFCmpOLT(number(left), number(right));
    case Op::LessEqual:
      return builder_.CreateFCmpOLE(number(left), number(right));
    case Op::Greater:
      return builder_.CreateFCmpOGT(number(left), number(right));
    case Op::GreaterEqual:
      return builder_.CreateFCmpOGE(number(left), number(right));
    case Op::Equal:
      return builder_.CreateFCmpOEQ(number(left), number(right));
    default:
      return builder_.CreateFCmpUNE(number(left), number(right));
  }
}

// Small whole powers by squaring, which is faster than the general function and exact for squares.
llvm::Value* Emitter::emit_power(ExprId base, ExprId exponent) {
  llvm::Value* a = number(base);
  const double power = arena_.is_constant(exponent) ? arena_.constant_value(exponent) : 0.5;
  const bool whole = power == std::trunc(power) && std::fabs(power) <= largest_unrolled_power;
  if (!whole) return call("pow", {a, number(exponent)});
  llvm::Value* one = llvm::ConstantFP::get(builder_.getDoubleTy(), 1.0);
  llvm::Value* product = nullptr;
  llvm::Value* square = a;
  for (int rest = static_cast<int>(std::fabs(power)); rest > 0; rest /= 2) {
    if (rest % 2 == 1) product = product == nullptr ? square : builder_.CreateFMul(product, square);
    if (rest > 1) square = builder_.CreateFMul(square, square);
  }
  return power < 0 ? builder_.CreateFDiv(one, product) : product;
}

}  // namespace daedalus::codegen
