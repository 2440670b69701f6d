// The choices of a caller in error control, and their names.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::integrate {

// How the next step size follows from the error: Gustafsson's predictive controller (for implicit
// methods), proportional-integral (for explicit ones), or the elementary rule (2.164) of
// Treeaporn's thesis. `Family` chooses what suits the method.
enum class Controller { Family, Predictive, Pi, Thesis };

// How the errors e of the components become one number, where 1 is what the tolerances allow:
//   Rms        sqrt(mean((e / (atol + rtol |y|))^2))
//   Maximum    max(|e| / (atol + rtol |y|))
//   Euclidean  sqrt(sum((e / atol)^2)), and rtol weighs nothing; with one atol for all this is
//              ||e||_2 <= atol, as in (2.165) of Treeaporn's thesis
enum class Norm { Rms, Maximum, Euclidean };

// Where a multistep method gets its first past values: from its own formula of order 1, in steps as
// short as that needs (Gear 1971), or from a step of a Runge-Kutta method.
enum class RungeKuttaStart { Never, BehindEvents, Always };

// How multistep methods solve their linear systems: by elimination, or by GMRES, with incomplete
// factors of a sparse Jacobian, with a preconditioner of the user's, or with neither. `Suitable`
// takes what is likely to cost less.
enum class LinearSolver { Suitable, Direct, Krylov };

// As users type them: auto, predictive, pi, thesis; rms, max, euclidean; auto, direct,
// krylov.
std::string_view controller_name(Controller controller);
std::string_view norm_name(Norm norm);
std::string_view linear_solver_name(LinearSolver solver);

// The choice with that name; an unknown name is an Error that lists the choices.
Result<Controller> require_controller(std::string_view name);
Result<Norm> require_norm(std::string_view name);
Result<LinearSolver> require_linear_solver(std::string_view name);

}  // namespace daedalus::integrate
