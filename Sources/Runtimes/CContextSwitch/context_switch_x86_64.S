#if defined(__x86_64__)

#if defined(__APPLE__)
#define SYMBOL(name) _##name
#else
#define SYMBOL(name) name
#endif

.text
.p2align 4
.globl SYMBOL(context_switch)
// void context_switch(void **save (rdi), void *load (rsi))
SYMBOL(context_switch):
    popq %rcx               // the return address
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %rcx
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %rcx
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    jmpq *%rcx

.p2align 4
.globl SYMBOL(context_start)
// The first frame of a stack. rbx holds the argument, r12 the address of the entry function.
SYMBOL(context_start):
    .cfi_startproc
    .cfi_undefined rip      // backtraces end here
    movq %rbx, %rdi
    xorl %ebp, %ebp
    callq *%r12
    ud2                     // an entry never returns
    .cfi_endproc

#if defined(__linux__)
.section .note.GNU-stack,"",@progbits
#endif
#endif
