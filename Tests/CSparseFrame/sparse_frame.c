#include "CSparseFrame.h"

// Not optimised: a loop in one frame is no recursion.
__attribute__((noinline, optnone)) size_t sparse_frames(size_t depth) {
  volatile char frame[56 * 1024];
  frame[0] = 1;
  if (depth == 0) return 0;
  size_t below = sparse_frames(depth - 1);
  return below + (size_t)frame[0];
}
