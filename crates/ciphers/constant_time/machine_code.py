"""Reads the machine code of the vector kernels, those for other CPUs too, and fails where a secret could steer it.

    machine_code.py PROGRAM      a build of poisoned.rs, which has all kernels and the controls

Secret is what stands in vector and mask registers and in memory. Public are a kernel's arguments, which are pointers and
lengths; pointers and lengths in a table that an argument points to; constants of the program; and what a public register
left on the stack by rsp, until something may have been written over it. From there on the code is followed along all
paths: a general register is secret after it was loaded with, or computed from, something secret. It may be computed with,
but neither be an address, nor decide a jump, nor be divided, nor be handed to a function as a pointer or length. Functions
that are called are other kernels, the C library's that move memory, or panics. What this does not know, it fails on.
"""

import itertools
import math
import re
import struct
import subprocess
import sys

# Every kernel, with an instruction that shows that it is one. What it runs on groups may stand in it or beside it.
SM4 = {
    "aes128": r"vaesenclast .*%xmm",
    "aes256": r"vaesenclast .*%xmm",
    "vaes256": r"vaesenclast .*%ymm",
    "gfni128": r"vgf2p8affineinvqb .*%xmm",
    "gfni256": r"vgf2p8affineinvqb .*%ymm",
    "gfni512": r"vgf2p8affineinvqb .*%zmm",
}
KERNELS = {
    **{rf"sm4::{name}::{function}": instruction
       for name, instruction in SM4.items()
       for function in ["encrypt(_groups)?", "add_keystream(_groups)?", f"encrypt_chain{'' if '128' in name else 's'}",
                        *([] if "128" in name else ["decrypt_groups"])]},
    "ghash::fill": r"pclmul\w+ .*%xmm",
    "ghash::fill_up": r"vpclmul\w+ .*%zmm",
    "ghash::narrow::update": r"pclmul\w+ .*%xmm",
    "ghash::wide256::update": r"vpclmul\w+ .*%ymm",
    "ghash::wide512::update": r"vpclmul\w+ .*%zmm",
    "keccak::absorb_avx512(::<\w+>)?": r"vpternlogq .*%xmm",
    "keccak::absorb_bmi(::<\w+>)?": r"andn ",
    "keystream::(wide256::blocks|avx2::add_all)": r"vpshufb .*%ymm",
    "keystream::(wide256::add_beside_mac|avx2::run_whole)": r"mulx ",
    "keystream::(wide256_vl::blocks|avx512::add_all)": r"vprold .*%ymm",
    "keystream::(wide512::blocks|avx512::add_all)": r"vprold .*%zmm",
    "keystream::(wide512::seal_beside|ifma::seal_whole)": r"vpmadd52luq .*%zmm",
    "keystream::(wide512::open_beside|ifma::open_whole)": r"vpmadd52luq .*%zmm",
    "keystream::wide512::add_behind": r"vprold .*%xmm",
    "poly1305::limbs_26_of_256::update": r"vpmuludq .*%ymm",
    "poly1305::limbs_26_of_512::update": r"vpmuludq .*%zmm",
    "poly1305::limbs_44::(update|Running::end)": r"vpmadd52huq .*%zmm",
    "sm2::pick": r"vpcmpeqq .*%ymm",
}
# The registers of the arguments, which were looked at: pointers, lengths, and pointers to tables of pointers and lengths.
# What else appears has to be looked at first. The compiler may hand over what a pointer led to instead of the pointer, so
# each has to be used as one. What is not here, as a counter and the byte of memset, is taken for secret.
ARGUMENTS = {
    r"sealstone_ciphers::x86_64::sm4::\w+::encrypt": (["rdi", "rsi"], ["rdx"], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::encrypt_groups(::<\w+>)?": (["rdi", "rsi"], [], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::decrypt_chain": (["rdi", "rsi", "rdx"], ["rcx"], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::decrypt_groups(::<\w+>)?": (["rdi", "rsi", "rdx"], [], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::add_keystream": (["rdi", "rsi", "rdx"], ["rcx"], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::add_keystream_groups(::<\w+>)?": (["rdi", "rsi", "rcx"], [], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::encrypt_chain": (["rdi", "rsi", "rdx"], ["rcx"], []),
    r"sealstone_ciphers::x86_64::sm4::\w+::encrypt_chains(::<\w+>)?": (["rdi", "rsi"], ["rcx"], ["rdx"]),
    r"sealstone_ciphers::x86_64::ghash::fill": (["rdi", "rsi"], [], []),
    r"sealstone_ciphers::x86_64::ghash::fill_up": (["rdi"], [], []),
    r"sealstone_ciphers::x86_64::ghash::\w+::update": (["rdi", "rsi", "rdx"], ["rcx"], []),
    r"<sealstone_ciphers::x86_64::ghash::Powers as core::ops::drop::Drop>::drop": (["rdi"], [], []),
    r"sealstone_ciphers::x86_64::keccak::absorb(_avx512|_bmi|_words)?(::<\w+>)?": (["rdi", "rsi"], ["rdx"], []),
    r"sealstone_ciphers::x86_64::keystream::\w+::(blocks|words)": (["rdi", "rsi"], [], []),
    r"sealstone_ciphers::x86_64::keystream::\w+::add_all": (["rdi", "rsi"], ["rdx"], []),
    r"sealstone_ciphers::x86_64::keystream::\w+::add_beside_mac": (["rdi", "rsi", "rdx", "rcx"], [], []),
    r"sealstone_ciphers::x86_64::keystream::wide512::(seal|open)_beside": (["rdi", "rsi", "rdx", "rcx", "r8"], [], []),
    r"sealstone_ciphers::x86_64::keystream::wide512::add_behind": (["rdi", "rsi", "rdx"], [], []),
    r"sealstone_ciphers::x86_64::keystream::ifma::seal_whole": (["rdi", "rsi", "rdx", "rcx"], ["r8"], []),
    r"sealstone_ciphers::x86_64::keystream::ifma::open_whole": (["rdi", "rsi", "rdx", "rcx", "r8"], ["r9"], []),
    r"sealstone_ciphers::x86_64::poly1305::limbs_44::Factors::fill": (["rdi", "rsi"], [], []),
    r"sealstone_ciphers::x86_64::poly1305::limbs_44::Running::end": (["rdi", "rsi", "rdx", "rcx"], ["r8"], []),
    r"sealstone_ciphers::x86_64::keystream::\w+::run_whole": (["rdi", "rsi", "rdx"], ["rcx"], []),
    r"sealstone_ciphers::x86_64::poly1305::\w+::update": (["rdi", "rsi", "rdx"], ["rcx"], []),
    r"sealstone_ciphers::portable::poly1305::update": (["rdi", "rsi"], ["rdx"], []),
    # The number of the row is secret.
    r"sealstone_ciphers::x86_64::sm2::pick": (["rdi", "rsi"], [], []),
    r"poisoned::control::\w+": (["rsi"], ["rdi"], []),
    r"memcpy|memmove": (["rdi", "rsi"], ["rdx"], []),
    r"memset": (["rdi"], ["rdx"], []),
}
# Functions that do not return. Whether they are reached is decided by the jump before.
PANICS = r"core::(panicking::panic\w*|slice::index::slice_index_fail|(option|result)::(expect|unwrap)_failed)"
CONTROLS = ["look_up", "look_up_by_register", "compare_early"]

# Each rule on lines that break it, and on lines that don't.
BROKEN = [
    ["vpgatherdd %ymm1,(%rdi,%ymm2,4),%ymm0"],
    ["vptest %ymm0,%ymm0", "je 0"],
    ["kortestw %k1,%k1", "jb 0"],
    ["vucomiss %xmm0,%xmm1", "ja 0"],
    ["kmovd %k1,%eax", "test %eax,%eax", "jne 0"],
    ["vpextrq $0x1,%xmm0,%rax", "vmovdqu (%rdi,%rax,1),%xmm0"],
    ["vpmovmskb %xmm0,%ecx", "lea (%rdi,%rcx,4),%rdx", "mov %rdx,%rsi", "mov (%rsi),%eax"],
    ["mov (%rdi),%eax", "mov %rax,-0x10(%rsp)", "mov -0x10(%rsp),%rcx", "jmp *%rcx"],
    ["mov %rdi,-0x10(%rsp)", "vmovdqu %ymm0,-0x20(%rsp)", "mov -0x10(%rsp),%rcx", "mov (%rcx),%eax"],
    ["mov (%rdi),%rax", "div %rsi"],
    ["mov (%rdi),%rdx", "mulx %rsi,%rax,%rcx", "mov (%rdi,%rcx,1),%eax"],
    ["vmovdqu8 (%rdi),%zmm0{%k1}{z}"],
    ["vpmaskmovd (%rdi),%ymm1,%ymm0"],
    ["vdivps %ymm0,%ymm1,%ymm2"],
    ["cmp $0x0,(%rdi)", "sete %al", "movzbl %al,%eax", "mov (%rsi,%rax,1),%cl"],
    ["call 0 <somewhere>"],
    ["rdmsr"],
    # Calls.
    ["mov (%rdi),%rdx", "call *memcpy(%rip)"],
    ["mov (%rdi),%rsi", "mov memcpy(%rip),%rbx", "call *%rbx"],
    ["mov memcpy(%rip),%rbx", "add %rsi,%rbx", "call *%rbx"],
    ["call *0x3000(%rip)"],
    ["mov (%rdi),%rsi", "call 0 <sealstone_ciphers::x86_64::sm4::gfni512::encrypt_groups>"],
    ["mov (%rdi),%rsi", "jmp 0 <sealstone_ciphers::x86_64::sm4::gfni512::encrypt_groups>"],
    ["cmpb $0x0,(%rdi)", "je 1003", "ret", "call 0 <core::slice::index::slice_index_fail>"],
    ["mov %rsi,%rdx", "call *memcpy(%rip)", "mov (%rsi),%rcx"],
    # What was public on the stack may have been written over.
    ["mov %rsi,0x20(%rsp)", "mov %rsi,%rdx", "lea 0x10(%rsp),%rdi", "call *memcpy(%rip)", "mov 0x20(%rsp),%rcx",
     "mov (%rcx),%eax"],
    ["mov %rsi,(%rsp)", "mov %rsi,%rdx", "lea 0x10(%rsp),%rdi", "sub $0x10,%rdi", "call *memcpy(%rip)", "mov (%rsp),%rcx",
     "mov (%rcx),%eax"],
    ["mov %rsi,0x10(%rsp)", "lea 0x10(%rsp),%rax", "vmovdqu %xmm0,(%rax)", "mov 0x10(%rsp),%rcx", "mov (%rcx),%eax"],
    ["mov %rsi,0x28(%rsp)", "lea 0x10(%rsp),%rax", "vmovdqu %ymm0,(%rax)", "mov 0x28(%rsp),%rcx", "mov (%rcx),%eax"],
    ["mov %rsi,0x10(%rsp)", "vmovdqu %xmm0,(%rsp,%rdi,8)", "mov 0x10(%rsp),%rcx", "mov (%rcx),%eax"],
    ["vmovdqu %xmm0,(%rsp)", "movl $0x0,(%rsp)", "mov (%rsp),%rcx", "mov (%rdi,%rcx,1),%eax"],
    ["mov %rsi,-0x8(%rsp)", "mov %rsi,%rdx", "call *memcpy(%rip)", "mov -0x8(%rsp),%rcx", "mov (%rcx),%eax"],
    ["mov %rsi,0x10(%rsp)", "and $0xffffffffffffffe0,%rsp", "mov 0x10(%rsp),%rcx", "mov (%rcx),%eax"],
    ["mov %rsp,%rbp", "mov %rsi,(%rsp)", "lea -0x8(%rbp),%rsp", "mov (%rsp),%rcx", "mov (%rcx),%eax"],
    # A table gives pointers, but what those lead to is secret, and it must stay as it is.
    ["mov 0x8(%rdx),%rax", "mov (%rax),%rcx", "mov (%rdi,%rcx,1),%eax"],
    ["mov (%rdx),%rax", "mov (%rdx,%rax,8),%rcx", "mov (%rcx),%eax"],
    ["mov 0x8(%rdi),%rax", "mov (%rax),%rcx"],
    ["vmovq %xmm0,(%rdx)"],
]
SOUND = [
    ["mov (%rdi),%eax", "vpbroadcastd %eax,%zmm0", "xor %eax,%eax", "vmovdqu (%rsi,%rax,1),%ymm1"],
    ["mov %rdi,-0x10(%rsp)", "vmovdqu %ymm0,-0x30(%rsp)", "mov -0x10(%rsp),%rcx", "mov (%rcx),%eax"],
    ["lea 0x2000(%rip),%rcx", "movslq (%rcx,%rsi,4),%rdx", "add %rcx,%rdx", "jmp *%rdx"],
    ["mov (%rdi),%rax", "sar $0x3f,%rax", "cmovs %rcx,%rax", "mov %rax,(%rdi)", "ret"],
    ["mov %rsi,%rdx", "mov memcpy(%rip),%rbx", "call *%rbx", "mov %rbx,%r12", "mov %rsp,%rdi", "mov %rdi,%rsi",
     "xor %edx,%edx", "call *%r12"],
    ["mov (%rdi),%rax", "mov %rax,%r10", "call 0 <sealstone_ciphers::x86_64::sm4::gfni512::encrypt_groups>"],
    ["mov %rsi,0x30(%rsp)", "lea 0x10(%rsp),%rax", "vmovdqu %ymm0,(%rax)", "mov 0x30(%rsp),%rcx", "mov (%rcx),%eax"],
    ["cmp %rsi,%rdi", "je 1003", "ret", "call 0 <core::slice::index::slice_index_fail>", "rdmsr"],
    ["mov %rsi,0x8(%rsp)", "mov %rsi,%rdx", "lea 0x10(%rsp),%rdi", "call *memset(%rip)", "mov 0x8(%rsp),%rcx",
     "mov (%rcx),%eax"],
    ["and $0xffffffffffffffe0,%rsp", "sub $0x40,%rsp", "mov %rsi,0x10(%rsp)", "mov 0x10(%rsp),%rcx", "mov (%rcx),%eax"],
    ["xor %eax,%eax", "mov 0x8(%rdx,%rax,8),%rcx", "cmp %rcx,%rsi", "je 0", "mov (%rcx,%rsi,8),%rax", "mov %rax,(%rcx)"],
]

# What is known of a value: a set of these and of the arguments that it was made of. The address of constants, that of a
# function of the C library, and that of a place on the stack, which is a number, are alone in it, and are lost with the
# first computation.
SECRET, CONSTANTS, STACK, IN_TABLE = "secret", "the address of constants", "somewhere on the stack", "taken from a table"
LIBRARY = {"memcpy", "memmove", "memset"}
PUBLIC = frozenset()
WIDE = {"xmm": 16, "ymm": 32, "zmm": 64}
VECTOR = re.compile(r"%([xyz]mm|k)\d")
MEMORY = re.compile(r"(-?0x[0-9a-f]+)?\((%\w+)?(?:,(%\w+))?(?:,\d)?\)")
FLAGS_OF_VECTORS = re.compile(r"v?ptest|v?testp[sd]|v?u?comis[sdh]|k(or)?test[bwdq]|v?pcmp[ei]str\w+|\w+kl")
COMPARISONS = {"cmp", "test", "bt"}
# Two operands or three: the last one is written, from all.
ARITHMETIC = {"add", "adc", "sub", "sbb", "and", "or", "xor", "shl", "shr", "sar", "rol", "ror", "shld", "shrd", "imul",
              "bswap", "inc", "dec", "neg", "not", "andn", "rorx", "shlx", "shrx", "sarx"}
NOTHING = {"xchg %ax,%ax", "int3", "ud2", "vzeroupper", "endbr64"}
CLOBBERED = ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "flags"]


def whole(name):
    """The 64 bits that a general register is part of; None for what is none."""
    name = name.lstrip("%")
    if match := re.fullmatch(r"(r\d+)[dwb]?", name):
        return match[1]
    if match := re.fullmatch(r"[re]?([abcd])[xlh]|[re]?(sp|bp|si|di)l?", name):
        return "r" + (match[1] + "x" if match[1] else match[2])
    return "rip" if name == "rip" else None


class State:
    """What is known before an instruction. What is not here is secret."""

    def __init__(self, registers=(), stack=(), depth=0):
        self.registers, self.stack, self.depth = dict(registers), dict(stack), depth

    def copy(self):
        return State(self.registers, self.stack, self.depth)

    def of(self, register):
        if register == "rsp":
            return frozenset([STACK if self.depth is None else -self.depth])
        return self.registers.get(register, frozenset([SECRET]))

    def join(self, other):
        """Takes in what holds on another way to the same place; says whether that is anything new."""
        before = (self.registers, self.stack, self.depth)
        self.registers = either(self.registers, other.registers)
        if self.depth == other.depth:
            self.stack = either(self.stack, other.stack)
        else:
            self.stack, self.depth = {}, None
        return before != (self.registers, self.stack, self.depth)


class Function:
    def __init__(self, name, lines, arguments, words):
        """`lines` are (address, text); `arguments` are those of `ARGUMENTS`; `words` are the constants of 32 bits from an
        address on."""
        self.name, self.lines, self.words = name, lines, words
        self.pointers, self.lengths, self.tables = arguments
        self.index = {address: i for i, (address, _) in enumerate(lines)}
        self.findings, self.used = {}, set()

    def check(self):
        """What is wrong, as lines of text."""
        public = {name: frozenset([name]) for name in self.pointers + self.lengths + self.tables}
        states = {0: State({"rip": frozenset([CONSTANTS])} | public)}
        work = [0]
        while work:
            i = work.pop()
            state = states[i].copy()
            for successor in self.step(i, state):
                if successor >= len(self.lines):
                    self.find(i, "the code runs out of the function")
                elif successor not in states or states[successor].join(state):
                    states.setdefault(successor, state.copy())
                    work.append(successor)
        findings = [f"{self.name}: {self.lines[i][1]}: {what}" for i, what in sorted(self.findings.items())]
        unused = {name for name in self.pointers + self.tables if {name} not in self.used}
        return findings + [f"{self.name}: the argument in {name} is no pointer" for name in unused]

    def find(self, i, what):
        self.findings.setdefault(i, what)

    def step(self, i, state):
        """Follows an instruction; returns those that may come next."""
        text = self.lines[i][1]
        if text in NOTHING or text.startswith("nop"):
            return [] if text == "ud2" else [i + 1]
        text = re.sub(r"^(notrack|bnd) ", "", text)
        mnemonic, _, rest = text.partition(" ")
        operands = re.findall(r"(?:[^,(]|\([^)]*\))+", rest.strip())
        if mnemonic.startswith("j"):
            return self.jump(i, mnemonic, operands, state)
        if mnemonic == "ret":
            return []
        for operand in operands:
            self.address(i, mnemonic, operand, operand is operands[-1], state)
        if VECTOR.search(rest):
            if re.search("div|sqrt", mnemonic):
                self.find(i, "divides something secret")
            self.vector(mnemonic, operands, state)
        elif mnemonic == "call":
            return [i + 1] if self.call(i, rest, state) else []
        elif not self.general(mnemonic, operands, state):
            if mnemonic in ("div", "idiv"):
                kind = joined([state.of("rax"), state.of("rdx"), self.read(operands[0], state)])
                if SECRET in kind:
                    self.find(i, "divides something secret")
                state.registers.update(rax=kind, rdx=kind)
            else:
                self.find(i, "an instruction that this check does not know")
        return [i + 1]

    def jump(self, i, mnemonic, operands, state):
        if operands[0].startswith("*"):
            if SECRET in self.read(operands[0][1:], state) or "(" in operands[0]:
                self.find(i, "jumps to something secret")
            return self.table(i)
        if mnemonic != "jmp" and SECRET in state.of("flags"):
            self.find(i, "a jump that something secret decides")
        after = [] if mnemonic == "jmp" else [i + 1]
        address = int(operands[0].split()[0], 16)
        if address in self.index:
            return [self.index[address], *after]
        self.call(i, operands[0], state.copy())
        return after

    def table(self, i):
        """Where a jump by a table may lead: distances from the table's beginning, as long as they stay in the function."""
        before = "; ".join(text for _, text in self.lines[max(0, i - 3) : i])
        pattern = r"lea (0x[0-9a-f]+)\(%rip\),(%\w+); movslq \(\2,%\w+,4\),(%\w+); add \2,\3"
        if match := re.fullmatch(pattern, before):
            begin = int(match[1], 16)
            targets = (begin + distance for distance in self.words(begin))
            found = list(itertools.takewhile(lambda at: at in self.index, targets))
            if found:
                return [self.index[at] for at in found]
        self.find(i, "a jump that this check cannot follow")
        return []

    def call(self, i, target, state):
        """Follows a call, or a jump to another function; False if nothing comes after it."""
        if target.startswith("*"):
            name = next(iter(self.read(target[1:], state) & LIBRARY), "")
        else:
            match = re.search(r"<(.*)>$", target)
            name = plain(match[1]) if match else ""
        if re.fullmatch(PANICS, name):
            return False
        pointers, lengths, tables = arguments(name) or ([], [], [])
        if not pointers:
            self.find(i, "leaves for code that is not checked")
        for register in pointers + lengths + tables:
            if SECRET in state.of(register):
                self.find(i, f"hands over something secret in {register}")
        # It may write from each pointer on upwards, anywhere where that is not certain, and below our part of the stack.
        lowest = 0 if state.depth is None else -state.depth
        for kind in map(state.of, pointers):
            self.uses(kind)
            highest = min([-math.inf if STACK in kind else math.inf, *(at for at in kind if isinstance(at, int))])
            state.stack = {at: value for at, value in state.stack.items() if lowest <= at <= highest - 8}
        for register in CLOBBERED:
            state.registers.pop(register, None)
        return True

    def uses(self, kind):
        """Notes an address as that of an argument; one of two arguments is either."""
        kind = kind - set(self.lengths)
        self.used |= {frozenset([name]) for name in kind} if kind <= set(self.pointers) else {kind}

    def made_of(self, operand, state):
        """What is known of an address in memory."""
        names = MEMORY.search(operand).groups()[1:]
        return frozenset().union(*(state.of(whole(name)) for name in names if name))

    def address(self, i, mnemonic, operand, is_last, state):
        memory = MEMORY.search(operand)
        if not memory:
            return
        if any(VECTOR.match(name) for name in memory.groups()[1:] if name):
            self.find(i, "gathers or scatters by a vector")
        elif mnemonic != "lea":
            kind = self.made_of(operand, state)
            self.uses(kind)
            if SECRET in kind:
                self.find(i, "an address made of something secret")
            if is_last and not kind.isdisjoint(self.tables) and without_size(mnemonic) not in COMPARISONS:
                self.find(i, "writes to a table of pointers")
        if "{%k" in self.lines[i][1] or "maskmov" in mnemonic:
            self.find(i, "a mask decides what is touched in memory")

    def place(self, operand, state):
        """Where on the stack an operand is; None elsewhere, and where that is not certain."""
        memory = MEMORY.search(operand)
        if not memory or not memory[2] or memory[3]:
            return None
        kind = state.of(whole(memory[2]))
        at = next(iter(kind)) if len(kind) == 1 else None
        return at + int(memory[1] or "0", 16) if isinstance(at, int) else None

    def read(self, operand, state):
        if operand.startswith("$"):
            return PUBLIC
        memory = MEMORY.search(operand)
        if not memory:
            return state.of(whole(operand))
        if (name := operand.removesuffix("(%rip)")) in LIBRARY:
            return frozenset([name])
        if memory[2] and CONSTANTS in state.of(whole(memory[2])):
            return PUBLIC
        if self.tables and self.made_of(operand, state) == frozenset(self.tables):
            return frozenset([IN_TABLE])
        return state.stack.get(self.place(operand, state), frozenset([SECRET]))

    def write(self, operand, kind, state, length=8):
        place = self.place(operand, state)
        if place is not None:
            # What is written in part keeps the rest.
            kind = kind if length >= 8 else joined([kind, self.read(operand, state)])
            for at in [at for at in state.stack if place - 8 < at < place + length]:
                del state.stack[at]
            state.stack[place] = kind
        elif "(" in operand:
            # Somewhere else; where that may be on the stack, it may be anywhere there.
            if any(at == STACK or isinstance(at, int) for at in self.made_of(operand, state)):
                state.stack = {}
        elif whole(operand) == "rsp":
            state.depth, state.stack = None, {}
        else:
            # The same, unless the rest is cleared: 32 bits clear the upper half.
            if re.fullmatch(r"%(\w[lh]|[abcd]x|[sd]il|[sd]i|[sb]pl?|r\d+[wb])", operand):
                kind = joined([kind, state.of(whole(operand))])
            state.registers[whole(operand)] = kind

    def vector(self, mnemonic, operands, state):
        if FLAGS_OF_VECTORS.fullmatch(mnemonic):
            state.registers.pop("flags", None)
            state.registers.pop("rcx", None)
            return
        last = re.sub(r"\{.*", "", operands[-1])
        if not VECTOR.search(last):
            widths = [WIDE.get(match[1], 8) for match in map(VECTOR.search, operands) if match]
            self.write(last, frozenset([SECRET]), state, max(widths))

    def general(self, mnemonic, operands, state):
        """An instruction without vectors; False where it is not known."""
        flags, operation = state.of("flags"), without_size(mnemonic)
        if re.fullmatch(r"mov([bwlq]|abs|be|[sz][bwl][wlq]|slq)?", mnemonic):
            is_whole = mnemonic == "movq" or whole(operands[0]) == operands[0][1:]
            self.write(operands[1], self.read(operands[0], state), state, 8 if is_whole else 4)
        elif mnemonic == "lea":
            memory = MEMORY.search(operands[0])
            place = self.place(operands[0], state)
            if place is not None:
                kind = frozenset([place])
            elif memory[2] == "%rip":
                kind = frozenset([CONSTANTS])
            else:
                kind = joined(state.of(whole(name)) for name in memory.groups()[1:] if name)
            self.write(operands[1], kind, state)
        elif mnemonic in ("push", "pop"):
            if state.depth is not None and mnemonic == "push":
                state.depth += 8
                self.write("(%rsp)", self.read(operands[0], state), state)
            elif mnemonic == "pop":
                self.write(operands[0], self.read("(%rsp)", state), state)
                state.depth = None if state.depth is None else state.depth - 8
        elif operation in COMPARISONS:
            state.registers["flags"] = joined(self.read(operand, state) for operand in operands)
        elif mnemonic.startswith("set"):
            self.write(operands[0], flags, state, 1)
        elif mnemonic.startswith("cmov"):
            self.write(operands[1], joined([flags, *(self.read(operand, state) for operand in operands)]), state)
        elif mnemonic == "mulx":
            kind = joined([self.read(operands[0], state), state.of("rdx")])
            self.write(operands[1], kind, state)
            self.write(operands[2], kind, state)
        elif mnemonic in ("mul", "imul") and len(operands) == 1:
            kind = joined([self.read(operands[0], state), state.of("rax")])
            state.registers.update(rax=kind, rdx=kind, flags=kind)
        elif operation in ARITHMETIC and operands[-1] == "%rsp":
            amount = re.fullmatch(r"\$(-?0x[0-9a-f]+)", operands[0])
            if operation in ("add", "sub") and amount and state.depth is not None:
                state.depth += int(amount[1], 16) * (1 if operation == "sub" else -1)
            elif operation == "and" and amount and state.depth is not None:
                # It is not known how far alignment moves it down: a distance that is like no other stands for that.
                state.depth += -int(amount[1], 16) % 2**64 << 32
            else:
                state.depth, state.stack = None, {}
        elif operation in ARITHMETIC:
            kinds = [self.read(operand, state) for operand in operands]
            if operation in ("adc", "sbb"):
                kinds.append(flags)
            if operation in ("xor", "sub") and operands[0] == operands[1]:
                kinds = []
            if operation not in ("bswap", "not", "rorx", "shlx", "shrx", "sarx"):
                state.registers["flags"] = joined(kinds)
            self.write(operands[-1], joined(kinds), state)
        else:
            return False
        return True


def without_size(mnemonic):
    """The mnemonic of arithmetic without the letter for its width."""
    known = ARITHMETIC | COMPARISONS
    return mnemonic[:-1] if mnemonic[-1] in "bwlq" and mnemonic not in known and mnemonic[:-1] in known else mnemonic


def joined(kinds):
    """What is known of what is made of several values: no certain address any more."""
    kind = frozenset().union(*kinds)
    places = {at for at in kind if isinstance(at, int)}
    return kind - places - LIBRARY - {CONSTANTS} | ({STACK} if places else PUBLIC)


def either(ours, theirs):
    """What is known on two ways to the same place: what is secret on one is secret; an address is certain if it is one."""
    return {at: ours[at] if ours[at] == theirs[at] else joined([ours[at], theirs[at]]) for at in ours if at in theirs}


def arguments(name):
    """Those of a function; None where nobody looked at them."""
    return next((arguments for pattern, arguments in ARGUMENTS.items() if re.fullmatch(pattern, name)), None)


def plain(name):
    """A demangled name without hashes, and without the distance from its beginning."""
    return re.sub(r"::h[0-9a-f]{16}|\[[0-9a-f]+\]|\+0x[0-9a-f]+$", "", name)


def functions(program):
    """Names and lines of the program's functions that this is about."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", program]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found, lines = {}, None
    for line in output.splitlines():
        if match := re.fullmatch(r"[0-9a-f]+ <(.*)>:", line):
            name = plain(match[1])
            # A kernel ends with Poly1305 on words.
            ours = "sealstone_ciphers::x86_64::" in name or name == "sealstone_ciphers::portable::poly1305::update"
            # Clears and frees what a kernel was given.
            ours = ours and not name.startswith("core::ptr::drop_in_place<sealstone_ciphers::poly1305::Mac<")
            wanted = ours or "poisoned::control::" in name
            # An instance of a generic function is one of several under a name.
            name = name if name not in found else f"{name} ({len(found)})"
            lines = found.setdefault(name, []) if wanted else None
        elif lines is not None and (match := re.match(r" *([0-9a-f]+):\t(.*)", line)):
            # Names of the C library's functions, and addresses of constants as such, in place of distances.
            distance = r"-?0x[0-9a-f]+\(%rip\)(.*?)\s*# "
            text = re.sub(distance + rf"[0-9a-f]+ <({'|'.join(LIBRARY)})@[^+]*>$", r"\2(%rip)\1", match[2])
            text = re.sub(distance + r"([0-9a-f]+).*", r"0x\2(%rip)\1", text).strip()
            text = re.sub(r"^((data16|cs) )+(?=nop)", "", re.sub(r"\s+", " ", text))
            lines.append((int(match[1], 16), text))
    return found


def constants(program):
    """A function that gives the constants of 32 bits from an address on."""
    command = ["objdump", "-s", "-j", ".rodata", program]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = re.findall(r"^ ([0-9a-f]+) ((?:[0-9a-f]{2,8} ){1,4})", output, re.MULTILINE)
    first = int(lines[0][0], 16)
    data = bytes.fromhex("".join(line for _, line in lines))
    return lambda at: (word for (word,) in struct.iter_unpack("<i", data[at - first:][:256]))


def main():
    for lines, broken in [(lines, True) for lines in BROKEN] + [(lines, False) for lines in SOUND]:
        numbered = [(0x1000 + i, text) for i, text in enumerate(lines + ["ret"])]
        numbered = [(address, re.sub(r"^(j\w+) 0$", r"\1 1000", text)) for address, text in numbered]
        findings = Function("rules", numbered, ([], ["rdi", "rsi"], ["rdx"]), lambda _: [-0x1000]).check()
        # Not every piece uses the table.
        findings = [finding for finding in findings if "is no pointer" not in finding]
        if bool(findings) != broken:
            sys.exit(f"machine_code.py: the rules are wrong about {lines}: {findings}")

    found, words = functions(sys.argv[1]), constants(sys.argv[1])
    faults = []
    for name, lines in found.items():
        looked_at = arguments(re.sub(r" \(\d+\)$", "", name))
        if not looked_at:
            faults.append(f"{name}: are its arguments public? Then it belongs into ARGUMENTS")
            continue
        findings = Function(name, lines, looked_at, words).check()
        if "::control::" in name:
            if not any("address" in finding or "jump" in finding for finding in findings):
                faults.append(f"{name}: leaks, and was not found: {findings}")
            continue
        print(f"{name.replace('sealstone_ciphers::x86_64::', ''):<55} {len(lines):>5} instructions  "
              f"{'no leak' if not findings else 'LEAKS'}")
        faults += findings[:9] + [f"{name}: and {len(findings) - 9} more"] * (len(findings) > 9)
    for control in CONTROLS:
        if f"poisoned::control::{control}" not in found:
            faults.append(f"the control {control} is not in the program")
    for kernel, instruction in KERNELS.items():
        pattern = rf"sealstone_ciphers::x86_64::{kernel}(::<\w+>)?( \(\d+\))?"
        texts = [text for name in found if re.fullmatch(pattern, name) for _, text in found[name]]
        if not any(re.match(instruction, text) for text in texts):
            faults.append(f"{kernel} is not in the program, or is not what it should be")
    print(f"controls: {len(CONTROLS)} found as they have to be; rules tried on {len(BROKEN) + len(SOUND)} pieces of code"
          if not faults else "\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
