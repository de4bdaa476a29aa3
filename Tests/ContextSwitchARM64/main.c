// Checks that the switch keeps every register that AAPCS64 asks a callee to keep, on stacks of its own.
#include "CContextSwitch.h"

#include <stdio.h>
#include <stdlib.h>

static void *main_context, *other_context;
static int visits;
static char stack[64 * 1024] __attribute__((aligned(16)));

// Fills x19-x28 and d8-d15 with seed, seed+1, ..., switches, and returns how many have changed.
long switch_and_count_changes(void **save, void **load, long seed);
__asm__(
    ".text\n.globl switch_and_count_changes\nswitch_and_count_changes:\n"
    "  sub sp, sp, #192\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  str x2, [sp, #160]\n"
    "  .irp n, 19,20,21,22,23,24,25,26,27,28\n  add x\\n, x2, #\\n\n  .endr\n"
    "  .irp n, 8,9,10,11,12,13,14,15\n  add x9, x2, #(100 + \\n)\n  fmov d\\n, x9\n  .endr\n"
    "  ldr x1, [x1]\n  bl context_switch\n"
    "  ldr x2, [sp, #160]\n  mov x0, #0\n"
    "  .irp n, 19,20,21,22,23,24,25,26,27,28\n  add x9, x2, #\\n\n  cmp x9, x\\n\n  cinc x0, x0, ne\n  .endr\n"
    "  .irp n, 8,9,10,11,12,13,14,15\n  add x9, x2, #(100 + \\n)\n  fmov x10, d\\n\n  cmp x9, x10\n  cinc x0, x0, ne\n"
    "  .endr\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #192\n  ret\n");

static void fail(const char *what) {
  fprintf(stderr, "arm64 context switch: %s\n", what);
  exit(1);
}

static void enter(void *argument) {
  if (argument != &visits) fail("the entry got another argument");
  while (1) {
    visits++;
    if (switch_and_count_changes(&other_context, &main_context, 1000)) fail("the coroutine lost a register");
  }
}

int main(void) {
  other_context = context_prepare(stack + sizeof stack, enter, &visits);
  for (int round = 1; round <= 1000; round++) {
    if (switch_and_count_changes(&main_context, &other_context, 2000 + round)) fail("the resumer lost a register");
    if (visits != round) fail("the coroutine did not run once for each switch");
  }
  puts("arm64 context switch: 1000 switches there and back keep every callee-saved register");
  return 0;
}
