#include "CSparseFrame.h"

__attribute__((noinline)) size_t sparse_frames(size_t depth) {
  volatile char frame[20 * 1024];
  frame[0] = 1;
  if (depth == 0) return 0;
  size_t below = sparse_frames(depth - 1);
  return below + (size_t)frame[0];
}
