# From the reset vector to `start` of kernel.c, in place of a BIOS: Bochs maps these 64 KiB at 0xf0000 and, for the reset
# vector alone, at the end of 4 GiB. All that is here is read-only.

    .section .boot, "ax"
    .code16
real:
    cli
    # Nothing has set a data segment yet, and the descriptor is in this one.
    lgdtl %cs:(gdt_pointer - 0xf0000)
    movl $page_map, %eax
    movl %eax, %cr3
    # CR4: PAE, OSFXSR, OSXMMEXCPT, OSXSAVE. Without the last one no program believes that there is AVX.
    movl $0x40620, %eax
    movl %eax, %cr4
    # EFER: LME, and SCE for `syscall`.
    movl $0xc0000080, %ecx
    movl $0x101, %eax
    xorl %edx, %edx
    wrmsr
    # CR0: PG, NE, MP, PE; caches on. From here on it is long mode.
    movl $0x80000023, %eax
    movl %eax, %cr0
    ljmpl $8, $long

    .code64
long:
    # Other segments do not matter in long mode.
    movl $kernel_stack, %esp
    jmp start

# A system call keeps all registers but rax, rcx and r11. It comes from ring 0, so `sysret` cannot return, and below the
# program's stack pointer is its red zone: nothing may be pushed there.
    .globl syscall_entry
syscall_entry:
    movq %rsp, program_stack
    movl $kernel_stack, %esp
    pushq %rcx
    pushq %r11
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %r10
    pushq %r8
    pushq %r9
    # To C's order, with the number first. No call that is served needs more than four arguments.
    movq %r10, %r8
    movq %rdx, %rcx
    movq %rsi, %rdx
    movq %rdi, %rsi
    movq %rax, %rdi
    call system_call
    popq %r9
    popq %r8
    popq %r10
    popq %rdx
    popq %rsi
    popq %rdi
    popfq
    popq %rcx
    movq program_stack, %rsp
    jmp *%rcx

    .globl enter
enter:
    movq %rsi, %rsp
    xorl %edx, %edx
    jmp *%rdi

# One stub of 16 bytes for each exception; some have an error code on the stack, and the others get one.
    .globl exceptions
    .balign 16
exceptions:
    .set vector, 0
    .rept 32
    .balign 16
    .if (0x60227d00 >> vector) & 1 == 0
    pushq $0
    .endif
    pushq $vector
    jmp exception_entry
    .set vector, vector + 1
    .endr
exception_entry:
    # Vector, error code, RIP.
    movq %rsp, %rdi
    movl $kernel_stack, %esp
    call exception

# 4 GiB of identity in pages of 1 GiB. Accessed and dirty are set, so that the CPU has nothing to write here.
    .balign 4096
page_map:
    .quad page_directories + 0x63
    .zero 4088
page_directories:
    .quad 0x000000e3, 0x400000e3, 0x800000e3, 0xc00000e3
    .zero 4064

gdt:
    .quad 0, 0x00af9b000000ffff, 0x00cf93000000ffff
gdt_pointer:
    .word . - gdt - 1
    .long gdt

    .section .reset, "ax"
    .code16
    ljmpw $0xf000, $(real - 0xf0000)

    .bss
program_stack:
    .zero 8
    .balign 16
    .zero 0x8000
kernel_stack:

    .section .note.GNU-stack, "", @progbits
