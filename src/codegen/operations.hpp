// The operations of expressions as LLVM IR.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "daedalus/expr/arena.hpp"

namespace daedalus::codegen {

// A number, or a truth value; the other form is made once, when it is asked for. A truth value is
// false where it is undefined, which stands for NaN.
struct Operand {
  llvm::Value* number = nullptr;
  llvm::Value* truth = nullptr;
  llvm::Value* undefined = nullptr;  // none: it is always defined
  bool is_held = false;              // a number that is never NaN
};

// Writes operations at the builder's position. The semantics are those of expr::apply.
class Operations {
 public:
  Operations(llvm::Module& module, llvm::IRBuilder<>& builder)
      : module_(module), builder_(builder) {}

  // Of anything but symbols; as many arguments as the operation has.
  Operand apply(expr::Op op, Operand* a, Operand* b, Operand* c);

  llvm::Value* constant(double value);
  llvm::Value* number(Operand& operand);

 private:
  Operand choice(Operand& condition, llvm::Value* yes, llvm::Value* no);
  void make_truth(Operand& operand);
  Operand logic(expr::Op op, Operand& a, Operand* b);
  llvm::Value* compare(expr::Op op, llvm::Value* a, llvm::Value* b);
  llvm::Value* is_nan(llvm::Value* a);
  llvm::Value* either(llvm::Value* a, llvm::Value* b);
  llvm::Value* both(llvm::Value* a, llvm::Value* b);
  llvm::Value* extremum(llvm::CmpInst::Predicate first_is_it, llvm::Value* a, llvm::Value* b);
  llvm::Value* unary(expr::Op op, llvm::Value* a);
  llvm::Value* binary(expr::Op op, llvm::Value* a, llvm::Value* b);
  llvm::Value* power(llvm::Value* base, llvm::Value* exponent);
  llvm::Value* call(llvm::StringRef name, std::initializer_list<llvm::Value*> arguments);

  llvm::Module& module_;
  llvm::IRBuilder<>& builder_;
};

// The functions that generated code may call, and their addresses; it can see nothing else of the
// process.
struct MathFunction {
  std::string_view name;
  void* address;
};
std::vector<MathFunction> math_functions();

}  // namespace daedalus::codegen
