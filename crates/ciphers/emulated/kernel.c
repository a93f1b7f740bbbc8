// Runs one static Linux program without Linux: it loads an ELF file from the disk, serves the few system
// calls of a Rust test binary that has no second thread, and stops Bochs. Everything is in ring 0 in one identity-mapped
// address space, since the program is trusted and only its vector instructions are of interest.

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

// Where the disk's contents go. Its first sector has the program's arguments, each ended by a zero and the last followed by
// an empty one; the program is in those after it.
#define DISK 0x10000000UL
#define ARGUMENTS DISK
#define PROGRAM_FILE (DISK + 512)
// The program's memory above its own segments (from 2 or 4 MiB): heap, mappings, stack.
#define HEAP 0x02000000UL
#define MAPPINGS 0x04000000UL
#define STACK_TOP 0x0ff00000UL
#define STACK_LEN 0x00800000UL
// An instruction is a cycle to Bochs, and run.sh asks for a hundred million of them a second.
#define NANOSECONDS_PER_CYCLE 10

// Registers that the program may use: x87, SSE, AVX, and the three parts of AVX-512's if run.sh says so (XCR0). A program
// finds an instruction set only where its registers are there, and without them its instructions are exceptions.
enum { ENOENT = 2, EAGAIN = 11, ENOMEM = 12, EINVAL = 22, ENOSYS = 38 };

extern char exceptions[], syscall_entry[];
_Noreturn void enter(uint64_t entry, uint64_t *stack);

static struct {
    uint16_t offset_low, selector, type, offset_middle;
    uint32_t offset_high, reserved;
} gates[32];
static uint64_t heap_end, next_mapping;

static void out(uint16_t port, uint8_t byte) {
    __asm__ volatile("outb %0, %1" : : "a"(byte), "Nd"(port));
}

static void put(char byte) {
    out(0xe9, byte); // the port that Bochs copies to its output
}

static void print(const char *text) {
    while (*text) put(*text++);
}

static void print_hex(const char *before, uint64_t number) {
    print(before);
    int shift = 60;
    while (shift && !(number >> shift)) shift -= 4;
    for (; shift >= 0; shift -= 4) put("0123456789abcdef"[number >> shift & 15]);
}

static _Noreturn void stop(void) {
    for (const char *word = "Shutdown"; *word; word++) out(0x8900, *word);
    for (;;) __asm__ volatile("cli; hlt");
}

static _Noreturn void refuse(const char *why) {
    print("emulated: ");
    print(why);
    put('\n');
    stop();
}

// Also what the compiler calls by itself.
void *memset(void *to, int byte, size_t len) {
    void *start = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(len) : "a"(byte) : "memory");
    return start;
}

void *memcpy(void *to, const void *from, size_t len) {
    void *start = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len) : : "memory");
    return start;
}

static void set_register(uint32_t model_specific, uint64_t value) {
    __asm__ volatile("wrmsr" : : "c"(model_specific), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

static uint64_t cycles(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

_Noreturn void exception(const uint64_t *frame) {
    uint64_t address;
    __asm__ volatile("mov %%cr2, %0" : "=r"(address));
    print_hex("\nemulated: exception 0x", frame[0]);
    print_hex(", error code 0x", frame[1]);
    print_hex(", rip 0x", frame[2]);
    print_hex(", cr2 0x", address);
    put('\n');
    stop();
}

// Reads a sector of the first ATA disk by polling; false behind its end.
static int read_sector(uint32_t sector, void *to) {
    uint8_t status;
    uint32_t words = 256;
    out(0x1f2, 1);
    out(0x1f3, sector);
    out(0x1f4, sector >> 8);
    out(0x1f5, sector >> 16);
    out(0x1f6, 0xe0 | sector >> 24);
    out(0x1f7, 0x20);
    do {
        __asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((uint16_t)0x1f7));
        if (status & 1) return 0;
    } while (!(status & 8));
    __asm__ volatile("rep insw" : "+D"(to), "+c"(words) : "d"((uint16_t)0x1f0) : "memory");
    return 1;
}

static uint64_t pages(uint64_t len) {
    return (len + 4095) & ~4095UL;
}

static int64_t map(uint64_t len) {
    uint64_t start = next_mapping;
    if (len > STACK_TOP - STACK_LEN - start) return -ENOMEM;
    next_mapping += pages(len);
    memset((void *)start, 0, len);
    return start;
}

// Memory comes back only from the end, which is enough for those who take and give back one thing after the other.
static int64_t unmap(uint64_t start, uint64_t len) {
    if (start + pages(len) == next_mapping) next_mapping = start;
    return 0;
}

static int64_t write(const char *bytes, uint64_t len) {
    for (uint64_t i = 0; i < len; i++) put(bytes[i]);
    return len;
}

// The numbers are those of Linux on x86-64. What a program cannot do without is served, what may fail fails, and an
// unknown call is named, so that whoever meets it knows what to add.
int64_t system_call(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    switch (number) {
    case 1: // write
        return write((const char *)b, c);
    case 20: { // writev
        int64_t len = 0;
        for (uint64_t i = 0; i < c; i++) len += write(((char **)b)[2 * i], ((uint64_t *)b)[2 * i + 1]);
        return len;
    }
    case 9: // mmap: only of memory, and only where we say
        return d & 0x20 && !(d & 0x10) ? map(b) : -EINVAL;
    case 11: // munmap
        return unmap(a, b);
    case 25: { // mremap
        int64_t to = map(c);
        if (to > 0) memcpy((void *)to, (void *)a, b < c ? b : c);
        return to;
    }
    case 12: // brk
        if (a >= HEAP && a <= MAPPINGS) {
            if (a > heap_end) memset((void *)heap_end, 0, a - heap_end);
            heap_end = a;
        }
        return heap_end;
    case 158: // arch_prctl: ARCH_SET_FS
        if (a != 0x1002) return -EINVAL;
        set_register(0xc0000100, b);
        return 0;
    case 228: { // clock_gettime
        uint64_t nanoseconds = cycles() * NANOSECONDS_PER_CYCLE;
        ((uint64_t *)b)[0] = nanoseconds / 1000000000;
        ((uint64_t *)b)[1] = nanoseconds % 1000000000;
        return 0;
    }
    case 318: // getrandom: seeds of hash tables only
        for (uint64_t i = 0; i < b; i++) ((uint8_t *)a)[i] = (uint8_t)(i * 0x9d + 0x35);
        return b;
    case 302: // prlimit64: the stack's
        if (d) ((uint64_t *)d)[0] = ((uint64_t *)d)[1] = STACK_LEN;
        return 0;
    case 204: // sched_getaffinity: one CPU
        memset((void *)c, 0, b);
        *(uint8_t *)c = 1;
        return 8;
    case 131: // sigaltstack: none was set before
        if (b) ((uint64_t *)b)[0] = ((uint64_t *)b)[2] = 0, ((uint64_t *)b)[1] = 2;
        return 0;
    case 13: case 14: // rt_sigaction, rt_sigprocmask: the default, and nothing blocked
        if (c) memset((void *)c, 0, number == 13 ? 32 : 8);
        return 0;
    case 39: case 186: case 218: // getpid, gettid, set_tid_address
        return 1;
    case 202: // futex: nobody waits to be woken, and nobody would wake who waits
        if ((b & 127) == 0 || (b & 127) == 9) refuse("the program waits for a thread, and there is no other");
        return 0;
    case 7: case 10: case 28: case 157: case 273: // poll, mprotect, madvise, prctl, set_robust_list
        return 0;
    case 89: case 257: case 332: // readlink, openat, statx: there are no files
        return -ENOENT;
    case 56: // clone: no further thread now. libtest then runs a test on its own thread.
        return -EAGAIN;
    case 334: case 435: // rseq; clone3, after which glibc tries clone
        return -ENOSYS;
    case 234: // tgkill, by which a program aborts
        refuse("the program ended itself by a signal");
    case 60: case 231: // exit, exit_group
        print_hex("\nemulated: exit status 0x", a);
        put('\n');
        stop();
    default:
        print_hex("\nemulated: unknown system call 0x", number);
        put('\n');
        return -ENOSYS;
    }
}

_Noreturn void start(void) {
    for (int i = 0; i < 32; i++) {
        uint64_t at = (uint64_t)exceptions + 16 * i;
        gates[i].offset_low = at;
        gates[i].offset_middle = at >> 16;
        gates[i].selector = 8;
        gates[i].type = 0x8e00;
        gates[i].offset_high = gates[i].reserved = 0;
    }
    struct __attribute__((packed)) { uint16_t limit; uint64_t base; } idt = { sizeof gates - 1, (uint64_t)gates };
    __asm__ volatile("lidt %0" : : "m"(idt));
    __asm__ volatile("xsetbv" : : "c"(0), "a"(XCR0), "d"(0));
    // STAR, LSTAR and FMASK: a system call stays in the segments it came from, since everything is in ring 0.
    set_register(0xc0000081, 8UL << 32);
    set_register(0xc0000082, (uint64_t)syscall_entry);
    set_register(0xc0000084, 0x700);

    // Bochs 2.7 gives the complement of what GFNI's affine instructions are to give.
    uint32_t of_zero;
    __asm__ volatile("pxor %%xmm0, %%xmm0; gf2p8affineqb $0, %%xmm0, %%xmm0; movd %%xmm0, %0" : "=r"(of_zero));
    if (of_zero) refuse("this emulator's GFNI is wrong; that of Bochs is right from 2.8 on");

    heap_end = HEAP;
    next_mapping = MAPPINGS;
    for (uint32_t sector = 0; read_sector(sector, (void *)(DISK + 512UL * sector)); sector++) continue;
    const Elf64_Ehdr *file = (const void *)PROGRAM_FILE;
    const Elf64_Phdr *segments = (const void *)(PROGRAM_FILE + file->e_phoff);
    uint64_t segments_in_memory = 0;
    for (int i = 0; i < file->e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type != PT_LOAD) continue;
        if (segment->p_vaddr < 0x100000 || segment->p_vaddr + segment->p_memsz > HEAP || file->e_type != ET_EXEC)
            refuse("the program is not static, or not for low addresses");
        memcpy((void *)segment->p_vaddr, (const void *)(PROGRAM_FILE + segment->p_offset), segment->p_filesz);
        memset((void *)(segment->p_vaddr + segment->p_filesz), 0, segment->p_memsz - segment->p_filesz);
        if (file->e_phoff - segment->p_offset < segment->p_filesz)
            segments_in_memory = segment->p_vaddr + file->e_phoff - segment->p_offset;
    }

    // Linux' stack of a new program: argc, argv, no environment, the auxiliary vector. Of randomness there is no need:
    // any sixteen bytes do.
    uint64_t stack[512], words = 1;
    for (const char *argument = (const char *)ARGUMENTS; *argument; argument++) {
        stack[words++] = (uint64_t)argument;
        while (*argument) argument++;
    }
    stack[0] = words - 1;
    const uint64_t rest[] = {
        0, 0, AT_PAGESZ, 4096, AT_PHDR, segments_in_memory, AT_PHENT, file->e_phentsize, AT_PHNUM, file->e_phnum,
        AT_ENTRY, file->e_entry, AT_RANDOM, ARGUMENTS, AT_SECURE, 0, AT_NULL, 0,
    };
    memcpy(stack + words, rest, sizeof rest);
    memcpy((void *)(STACK_TOP - sizeof stack), stack, sizeof stack);
    print("emulated: running\n");
    enter(file->e_entry, (uint64_t *)(STACK_TOP - sizeof stack));
}
