// Translates procedures to LLVM IR.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "codegen/operations.hpp"
#include "daedalus/structure/procedure.hpp"

namespace daedalus::codegen {

// Whether a procedure is worth being optimised at once, as a whole.
bool is_short(const structure::Procedure& procedure);

enum class Form {
  // One function. Values live in registers where possible: a symbol has memory where it is kept,
  // and where a body passes it on: to another body, to its own next repetition, or to what follows
  // it. Expressions that a loop does not change are computed before it.
  Whole,
  // A function that runs the choices and loops, and calls one for each stretch of assignments;
  // these pass on their results in memory. LLVM takes more than linear time for long functions, and
  // spills most of their values anyway. It is decided here which products and sums become one
  // operation, and nothing else may be contracted or replaced, so that all ways to compile the
  // procedure give the same bits.
  Cut,
};

class ProcedureEmitter {
 public:
  // `kept` says, by symbol, what is read after a procedure has run. The machine may have an
  // operation for a b + c.
  ProcedureEmitter(llvm::Module& module, const expr::Arena& arena, const std::vector<bool>& kept,
                   bool has_fused_operations);

  void emit(const structure::Procedure& procedure, const std::string& name, Form form);

 private:
  using Symbols = std::unordered_set<std::uint32_t>;  // their order does not affect the code
  // A body, inside those around it.
  struct Scope {
    std::unordered_map<expr::ExprId, Operand> values;
    std::unordered_map<std::uint32_t, llvm::Value*> assigned;  // by symbol
    Symbols changed;                                           // symbols that the body assigns
    std::unordered_set<expr::ExprId> changing;                 // expressions with such symbols
  };

  void find_what_needs_memory(const structure::Procedure& procedure, std::vector<Symbols>& known);
  void collect_assigned(const structure::Procedure& procedure, Symbols& found) const;
  void collect_changing(const structure::Procedure& procedure, Scope& scope);
  void emit_statements(const structure::Procedure& procedure);
  void emit_if(const structure::Statement& statement);
  void emit_repeat(const structure::Statement& statement);
  void emit_ahead(const structure::Procedure& body, Scope& scope);
  void emit_body(const structure::Statement& statement, Scope scope);
  void find_what_crosses_stretches(const structure::Procedure& procedure);
  void emit_cut(const structure::Procedure& procedure);
  void emit_cut_assignments(std::span<const structure::Assignment> assignments);
  void emit_stretch(std::span<const structure::Assignment> stretch);
  llvm::Function* begin_function(const std::string& name);
  void assign(const structure::Assignment& assignment);
  void forget(const Symbols& changed);
  bool depends_on(expr::ExprId id, const Symbols& symbols,
                  const std::unordered_set<expr::ExprId>& nodes) const;
  llvm::Value* emit_expression(expr::ExprId root);
  Operand emit_node(expr::ExprId id);
  llvm::Value* fused(const expr::Node& sum);
  llvm::Value* negative(llvm::Value* number);
  void add_node(expr::ExprId id);
  Operand* find(expr::ExprId id);
  llvm::Value* read(std::uint32_t symbol);
  llvm::Value* place(std::uint32_t symbol);
  llvm::Value* holds(expr::SymbolId condition);

  llvm::Module& module_;
  const expr::Arena& arena_;
  const std::vector<bool>& kept_;
  bool has_fused_operations_;
  llvm::IRBuilder<> builder_;
  Operations operations_;
  expr::Walker walker_;
  Symbols in_memory_;        // and assigned somewhere in the procedure
  Symbols assigned_at_all_;  // all others never change while the procedure runs
  std::unordered_map<expr::ExprId, std::vector<expr::ExprId>> users_;  // of emitted expressions
  std::size_t stretches_ = 0;                                          // functions of stretches
  Form form_ = Form::Whole;
  std::vector<Scope> scopes_;
  llvm::Value* symbols_ = nullptr;
};

}  // namespace daedalus::codegen
