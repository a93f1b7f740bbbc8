"""ML-DSA by FIPS 204, as far as the library does not give it: the expanded private key, and signatures whose randomness
is given. Slow, and not constant time: for vectors only."""

import hashlib
from dataclasses import dataclass

Q = 8380417
REVERSED = [int(f"{i:08b}"[::-1], 2) for i in range(256)]
ZETAS = [pow(1753, i, Q) for i in REVERSED]


def shake256(length, *parts):
    return hashlib.shake_256(b"".join(parts)).digest(length)


def ntt(f):
    f, m, length = list(f), 0, 128
    while length:
        for start in range(0, 256, 2 * length):
            m += 1
            for j in range(start, start + length):
                t = ZETAS[m] * f[j + length] % Q
                f[j], f[j + length] = (f[j] + t) % Q, (f[j] - t) % Q
        length //= 2
    return f


def inverse_ntt(f):
    f, m, length = list(f), 256, 1
    while length < 256:
        for start in range(0, 256, 2 * length):
            m -= 1
            for j in range(start, start + length):
                t, other = f[j], f[j + length]
                f[j], f[j + length] = (t + other) % Q, ZETAS[m] * (other - t) % Q
        length *= 2
    return [n * 8347681 % Q for n in f]


def pack(numbers, width):
    return sum(n << width * i for i, n in enumerate(numbers)).to_bytes(32 * width, "little")


def unpack(data, width):
    n = int.from_bytes(data, "little")
    return [n >> width * i & (1 << width) - 1 for i in range(256)]


def centred(n, modulus=Q):
    n %= modulus
    return n - modulus if n > modulus // 2 else n


def add(f, g):
    return [(a + b) % Q for a, b in zip(f, g)]


def subtract(f, g):
    return [(a - b) % Q for a, b in zip(f, g)]


def product(f, g):
    return inverse_ntt([a * b % Q for a, b in zip(f, g)])


def largest(vector):
    return max(abs(centred(n)) for f in vector for n in f)


@dataclass(frozen=True)
class MlDsa:
    k: int
    l: int
    eta: int
    tau: int
    strength: int
    gamma1: int
    gamma2: int
    omega: int

    def short(self, rho, index):
        """Algorithm 31."""
        nibbles = [half for byte in shake256(512, rho, index.to_bytes(2, "little")) for half in (byte & 15, byte >> 4)]
        if self.eta == 2:
            return [2 - n % 5 for n in nibbles if n < 15][:256]
        return [4 - n for n in nibbles if n < 9][:256]

    def matrix(self, rho):
        return [[self.uniform(rho, row, column) for column in range(self.l)] for row in range(self.k)]

    def uniform(self, rho, row, column):
        """Algorithm 30."""
        data = hashlib.shake_128(rho + bytes([column, row])).digest(1344)
        numbers = (int.from_bytes(data[at : at + 3], "little") & 0x7FFFFF for at in range(0, 1344, 3))
        return [n for n in numbers if n < Q][:256]

    def multiply(self, matrix, vector):
        """A vector that is no transform, from one that is."""
        rows = ([sum(a[n] * f[n] for a, f in zip(row, vector)) % Q for n in range(256)] for row in matrix)
        return [inverse_ntt(row) for row in rows]

    def keys(self, seed):
        """Algorithm 6: the public and the expanded private key."""
        data = shake256(128, seed, bytes([self.k, self.l]))
        rho, rho_prime, key = data[:32], data[32:96], data[96:]
        s1 = [self.short(rho_prime, i) for i in range(self.l)]
        s2 = [self.short(rho_prime, self.l + i) for i in range(self.k)]
        t = [add(f, e) for f, e in zip(self.multiply(self.matrix(rho), [ntt(f) for f in s1]), s2)]
        high = [[(n + 4095) >> 13 for n in f] for f in t]
        low = [[4096 - (n - (h << 13)) for n, h in zip(f, g)] for f, g in zip(t, high)]
        public = rho + b"".join(pack(f, 10) for f in high)
        short = b"".join(pack([self.eta - n for n in f], 3 if self.eta == 2 else 4) for f in s1 + s2)
        return public, rho + key + shake256(64, public) + short + b"".join(pack(f, 13) for f in low)

    def decompose(self, n):
        """Algorithm 36."""
        low = centred(n, 2 * self.gamma2)
        return (0, low - 1) if n % Q - low == Q - 1 else ((n % Q - low) // (2 * self.gamma2), low)

    def challenge(self, seed):
        """Algorithm 29."""
        data = iter(shake256(1024, seed))
        signs = int.from_bytes(bytes(next(data) for _ in range(8)), "little")
        c = [0] * 256
        for i in range(256 - self.tau, 256):
            j = next(byte for byte in data if byte <= i)
            c[i] = c[j]
            c[j] = -1 if signs >> i + self.tau - 256 & 1 else 1
        return c

    def sign(self, seed, message, context=b"", randomness=bytes(32)):
        """Algorithms 2 and 7."""
        public, expanded = self.keys(seed)
        rho, key = expanded[:32], expanded[32:64]
        data, width = expanded[128:], 32 * (3 if self.eta == 2 else 4)
        short = [data[at : at + width] for at in range(0, width * (self.l + self.k), width)]
        s = [ntt([self.eta - n for n in unpack(f, width // 32)]) for f in short]
        data = data[width * (self.l + self.k) :]
        t0 = [ntt([4096 - n for n in unpack(data[at : at + 416], 13)]) for at in range(0, 416 * self.k, 416)]
        matrix = self.matrix(rho)
        mu = shake256(64, shake256(64, public), b"\0", bytes([len(context)]), context, message)
        start, at, wide = shake256(64, key, randomness, mu), 0, self.gamma1.bit_length()
        while True:
            masks = [shake256(32 * wide, start, (at + i).to_bytes(2, "little")) for i in range(self.l)]
            y = [[self.gamma1 - n for n in unpack(f, wide)] for f in masks]
            at += self.l
            w = self.multiply(matrix, [ntt(f) for f in y])
            high = [[self.decompose(n)[0] for n in f] for f in w]
            encoded = b"".join(pack(f, 6 if self.gamma2 == (Q - 1) // 88 else 4) for f in high)
            seed_of_c = shake256(self.strength // 4, mu, encoded)
            c, beta = ntt(self.challenge(seed_of_c)), self.tau * self.eta
            z = [add(f, product(c, g)) for f, g in zip(y, s)]
            rest = [subtract(f, product(c, g)) for f, g in zip(w, s[self.l :])]
            if largest(z) >= self.gamma1 - beta:
                continue
            if max(abs(self.decompose(n)[1]) for f in rest for n in f) >= self.gamma2 - beta:
                continue
            carried = [product(c, f) for f in t0]
            hinted = [add(f, g) for f, g in zip(rest, carried)]
            hints = [
                [i for i in range(256) if self.decompose(f[i])[0] != self.decompose(g[i])[0]]
                for f, g in zip(rest, hinted)
            ]
            if largest(carried) >= self.gamma2 or sum(map(len, hints)) > self.omega:
                continue
            response = b"".join(pack([self.gamma1 - centred(n) for n in f], wide) for f in z)
            return seed_of_c + response + self.pack_hints(hints)

    def pack_hints(self, hints):
        """Algorithm 20."""
        places = bytes(i for row in hints for i in row)
        ends = bytes(sum(map(len, hints[: row + 1])) for row in range(self.k))
        return places.ljust(self.omega, b"\0") + ends


ML_DSA_44 = MlDsa(4, 4, 2, 39, 128, 2**17, (Q - 1) // 88, 80)
ML_DSA_65 = MlDsa(6, 5, 4, 49, 192, 2**19, (Q - 1) // 32, 55)
