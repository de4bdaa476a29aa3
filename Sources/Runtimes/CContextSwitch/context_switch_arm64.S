#if defined(__aarch64__)

#if defined(__APPLE__)
#define SYMBOL(name) _##name
#else
#define SYMBOL(name) name
#endif

.text
.p2align 4
.globl SYMBOL(context_switch)
// void context_switch(void **save (x0), void *load (x1))
SYMBOL(context_switch):
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x9, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    mov x30, x9
    br x9

.p2align 4
.globl SYMBOL(context_start)
// The first frame of a stack. x19 holds the argument, x20 the address of the entry function.
SYMBOL(context_start):
    .cfi_startproc
    .cfi_undefined x30      // backtraces end here
    mov x0, x19
    mov x29, xzr
    mov x30, xzr
    blr x20
    brk #1                  // an entry never returns
    .cfi_endproc

#if defined(__linux__)
.section .note.GNU-stack,"",%progbits
#endif
#endif
