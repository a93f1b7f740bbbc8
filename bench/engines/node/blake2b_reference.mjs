// BLAKE2b with 64 bytes and no key (RFC 7693), in JavaScript on halves of 32 bits, as @ldesign/crypto has it, with none of its code.

/** Words of 64 bits, each as its low half and its high half (section 2.6). */
const IV = Uint32Array.of(
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a,
  0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
)

/** Which words of a block a round takes (section 2.7); the eleventh and the twelfth are the first two again. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]
/** What each mixing of a round works on: the columns, then the diagonals (section 3.2). */
const MIXED = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
]
const ROUNDS = 12
const BLOCK_LEN = 128
const DIGEST_LEN = 64

/** Adds the word of `y` at `j` to that of `v` at `i`. */
function add(v, i, y, j) {
  const low = v[2 * i] + y[2 * j]
  v[2 * i + 1] += y[2 * j + 1] + (low > 0xffffffff ? 1 : 0)
  v[2 * i] = low
}

/** XORs one word to another one, and rotates that to the right. */
function xorRotated(v, i, j, bits) {
  let [low, high] = [v[2 * i] ^ v[2 * j], v[2 * i + 1] ^ v[2 * j + 1]]
  if (bits >= 32) [low, high] = [high, low]
  const by = bits % 32
  v[2 * i] = by === 0 ? low : (low >>> by) | (high << (32 - by))
  v[2 * i + 1] = by === 0 ? high : (high >>> by) | (low << (32 - by))
}

function mix(v, [a, b, c, d], m, x, y) {
  add(v, a, v, b)
  add(v, a, m, x)
  xorRotated(v, d, a, 32)
  add(v, c, v, d)
  xorRotated(v, b, c, 24)
  add(v, a, v, b)
  add(v, a, m, y)
  xorRotated(v, d, a, 16)
  add(v, c, v, d)
  xorRotated(v, b, c, 63)
}

function compress(h, block, length, isLast) {
  const [v, m] = [new Uint32Array(32), new Uint32Array(32)]
  const view = new DataView(block.buffer)
  for (let i = 0; i < 32; i++) m[i] = view.getUint32(4 * i, true)
  v.set(h)
  v.set(IV, 16)
  v[24] ^= length
  v[25] ^= length / 2 ** 32
  if (isLast) {
    v[28] = ~v[28]
    v[29] = ~v[29]
  }
  for (let round = 0; round < ROUNDS; round++) {
    const taken = SIGMA[round % SIGMA.length]
    for (let i = 0; i < MIXED.length; i++) mix(v, MIXED[i], m, taken[2 * i], taken[2 * i + 1])
  }
  for (let i = 0; i < 16; i++) h[i] ^= v[i] ^ v[16 + i]
}

export function blake2b(data) {
  const [h, block] = [IV.slice(), new Uint8Array(BLOCK_LEN)]
  h[0] ^= 0x01010000 ^ DIGEST_LEN
  for (let at = 0; ; at += BLOCK_LEN) {
    const isLast = at + BLOCK_LEN >= data.length
    const part = data.subarray(at, at + BLOCK_LEN)
    block.fill(0)
    block.set(part)
    compress(h, block, at + part.length, isLast)
    if (isLast) return new Uint8Array(h.buffer)
  }
}
