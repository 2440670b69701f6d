// The context that all SUNDIALS objects need, one for the program. SUNDIALS 6 and 7.
#pragma once

#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>

namespace bench {

inline SUNContext context() {
  static const SUNContext created = [] {
    SUNContext one = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &one);
    SUNContext_ClearErrHandlers(one);
#else
    SUNContext_Create(nullptr, &one);
#endif
    return one;
  }();
  return created;
}

}  // namespace bench
