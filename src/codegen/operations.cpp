#include "codegen/operations.hpp"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>

#include "daedalus/expr/number.hpp"

namespace daedalus::codegen {
namespace {

using expr::Op;

constexpr int largest_unrolled_power = 16;
constexpr double undefined_value = std::numeric_limits<double>::quiet_NaN();

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

std::vector<MathFunction> math_functions() {
  using Unary = double(double);
  using Binary = double(double, double);
  // Intrinsics may become calls, and LLVM may turn calls of other functions into exp2, exp10, cbrt,
  // ldexp and sincos.
  std::vector<MathFunction> all = {
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
  };
  for (const expr::Operation& row : expr::operations) {
    if (row.is_library_function) all.push_back({row.name, address_of(row.unary)});
  }
  return all;
}

llvm::Value* Operations::constant(double value) {
  return llvm::ConstantFP::get(builder_.getDoubleTy(), value);
}

llvm::Value* Operations::number(Operand& operand) {
  if (operand.number != nullptr) return operand.number;
  llvm::Value* value = builder_.CreateUIToFP(operand.truth, builder_.getDoubleTy());
  if (operand.undefined != nullptr)
    value = builder_.CreateSelect(operand.undefined, constant(undefined_value), value);
  return operand.number = value;
}

void Operations::make_truth(Operand& operand) {
  if (operand.truth != nullptr) return;
  operand.truth = builder_.CreateFCmpONE(operand.number, constant(0.0));
  if (!operand.is_held) operand.undefined = is_nan(operand.number);
}

Operand Operations::apply(Op op, Operand* a, Operand* b, Operand* c) {
  if (op == Op::NoEvent) return *a;
  if (is_relation(op)) {
    llvm::Value *x = number(*a), *y = number(*b);
    return {.truth = compare(op, x, y), .undefined = builder_.CreateFCmpUNO(x, y)};
  }
  if (is_truth(op)) return logic(op, *a, b);
  switch (arity(op)) {
    case 1:
      return {.number = unary(op, number(*a))};
    case 2:
      return {.number = binary(op, number(*a), number(*b))};
    default:
      return choice(*a, number(*b), number(*c));
  }
}

Operand Operations::choice(Operand& condition, llvm::Value* yes, llvm::Value* no) {
  make_truth(condition);
  llvm::Value* chosen = builder_.CreateSelect(condition.truth, yes, no);
  if (condition.undefined != nullptr)
    chosen = builder_.CreateSelect(condition.undefined, constant(undefined_value), chosen);
  return {.number = chosen};
}

llvm::Value* Operations::is_nan(llvm::Value* a) { return builder_.CreateFCmpUNO(a, a); }

// For these two, none stands for false.
llvm::Value* Operations::either(llvm::Value* a, llvm::Value* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return builder_.CreateOr(a, b);
}

llvm::Value* Operations::both(llvm::Value* a, llvm::Value* b) {
  return a == nullptr || b == nullptr ? nullptr : builder_.CreateAnd(a, b);
}

Operand Operations::logic(Op op, Operand& a, Operand* b) {
  make_truth(a);
  if (op == Op::IsTrue) return {.truth = a.truth};
  if (op == Op::Not)
    return {.truth = builder_.CreateNot(either(a.truth, a.undefined)), .undefined = a.undefined};
  make_truth(*b);
  llvm::Value* one_is_undefined = either(a.undefined, b->undefined);
  if (op == Op::Or) {
    llvm::Value* truth = builder_.CreateOr(a.truth, b->truth);
    return {.truth = truth, .undefined = both(one_is_undefined, builder_.CreateNot(truth))};
  }
  llvm::Value* none_is_false =
      builder_.CreateAnd(either(a.truth, a.undefined), either(b->truth, b->undefined));
  return {.truth = builder_.CreateAnd(a.truth, b->truth),
          .undefined = both(one_is_undefined, none_is_false)};
}

llvm::Value* Operations::call(llvm::StringRef name, std::initializer_list<llvm::Value*> arguments) {
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

llvm::Value* Operations::unary(Op op, llvm::Value* a) {
  const auto intrinsic = [&](llvm::Intrinsic::ID id) {
    return builder_.CreateUnaryIntrinsic(id, a);
  };
  llvm::Value* zero = constant(0.0);
  switch (op) {
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
    case Op::Whole: {
      llvm::Value* limit = constant(expr::integer_limit);
      llvm::Value* is_exact = builder_.CreateFCmpOLT(intrinsic(llvm::Intrinsic::fabs), limit);
      return builder_.CreateSelect(is_exact, a, constant(undefined_value));
    }
    case Op::Sign: {
      llvm::Value* negative =
          builder_.CreateSelect(builder_.CreateFCmpOLT(a, zero), constant(-1.0), a);
      return builder_.CreateSelect(builder_.CreateFCmpOGT(a, zero), constant(1.0), negative);
    }
    default:
      return call(expr::op_name(op), {a});
  }
}

llvm::Value* Operations::binary(Op op, llvm::Value* a, llvm::Value* b) {
  if (op == Op::Power) return power(a, b);
  const auto turns = [&](llvm::Intrinsic::ID rounding) {
    return builder_.CreateUnaryIntrinsic(rounding, builder_.CreateFDiv(a, b));
  };
  switch (op) {
    case Op::Add:
      return builder_.CreateFAdd(a, b);
    case Op::Subtract:
      return builder_.CreateFSub(a, b);
    case Op::Multiply:
      return builder_.CreateFMul(a, b);
    case Op::Divide:
      return builder_.CreateFDiv(a, b);
    case Op::Min:
      return extremum(llvm::CmpInst::FCMP_ULT, a, b);
    case Op::Max:
      return extremum(llvm::CmpInst::FCMP_UGT, a, b);
    case Op::Quotient:
      return turns(llvm::Intrinsic::trunc);
    case Op::Modulo:
      return builder_.CreateFSub(a, builder_.CreateFMul(turns(llvm::Intrinsic::floor), b));
    case Op::Remainder:
      return builder_.CreateFSub(a, builder_.CreateFMul(turns(llvm::Intrinsic::trunc), b));
    default:
      return call("atan2", {builder_.CreateFAdd(a, constant(0.0)),  // removes the sign of zero
                            builder_.CreateFAdd(b, constant(0.0))});
  }
}

// The comparison is true, too, where the first one is NaN.
llvm::Value* Operations::extremum(llvm::CmpInst::Predicate first_is_it, llvm::Value* a,
                                  llvm::Value* b) {
  llvm::Value* found = builder_.CreateSelect(builder_.CreateFCmp(first_is_it, a, b), a, b);
  if (llvm::isa<llvm::ConstantFP>(b)) return found;
  return builder_.CreateSelect(is_nan(b), b, found);
}

llvm::Value* Operations::compare(Op op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
    case Op::Less:
      return builder_.CreateFCmpOLT(a, b);
    case Op::LessEqual:
      return builder_.CreateFCmpOLE(a, b);
    case Op::Greater:
      return builder_.CreateFCmpOGT(a, b);
    case Op::GreaterEqual:
      return builder_.CreateFCmpOGE(a, b);
    case Op::Equal:
      return builder_.CreateFCmpOEQ(a, b);
    default:
      return builder_.CreateFCmpONE(a, b);
  }
}

// Small whole powers by squaring, which is faster than the general function and exact for squares.
// The general function returns 1 for NaN^0 and for 1^NaN.
llvm::Value* Operations::power(llvm::Value* base, llvm::Value* exponent) {
  const auto* known = llvm::dyn_cast<llvm::ConstantFP>(exponent);
  const double power = known != nullptr ? known->getValueAPF().convertToDouble() : 0.5;
  const bool whole = power == std::trunc(power) && std::fabs(power) <= largest_unrolled_power;
  if (power == 0.0) return builder_.CreateSelect(is_nan(base), base, constant(1.0));
  if (!whole) {
    llvm::Value* value = call("pow", {base, exponent});
    if (known != nullptr) return value;
    return builder_.CreateSelect(builder_.CreateFCmpUNO(base, exponent), constant(undefined_value),
                                 value);
  }
  llvm::Value* product = nullptr;
  llvm::Value* square = base;
  for (int rest = static_cast<int>(std::fabs(power)); rest > 0; rest /= 2) {
    if (rest % 2 == 1) product = product == nullptr ? square : builder_.CreateFMul(product, square);
    if (rest > 1) square = builder_.CreateFMul(square, square);
  }
  return power < 0 ? builder_.CreateFDiv(constant(1.0), product) : product;
}

}  // namespace daedalus::codegen
