/** Memory that is worked on, as bytes and as words. */
export interface Memory {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly words: Int32Array
}

/** Puts text into the bytes; `false` if some character is above 127, or there is not room for all. */
export function putAscii(text: string, bytes: Uint8Array): boolean {
  encoder ??= new TextEncoder()
  // Wider text may fill the bytes to as many as it has characters, and is not read to its end then.
  const { read, written } = encoder.encodeInto(text, bytes)
  return read === text.length && written === read
}

let encoder: TextEncoder | undefined

/** A salt as an array: it is a piece of a longer string, and takes longer to look into. */
export function unitsOf(salt: string): Uint16Array {
  const { units } = keyFor(salt.length)
  for (let i = 0; i < salt.length; i++) units[i] = salt.charCodeAt(i)
  return units
}

/** XORs bytes where they lie; does nothing if the salt is text that is not ASCII, and says so. */
export function xorBytes({ bytes, words }: Memory, len: number, salt: string | Uint8Array): boolean {
  const period = salt.length
  if (period === 0) return true
  const key = keyFor(period)
  if (typeof salt !== 'string') key.bytes.set(salt)
  else if (!putAscii(salt, key.bytes)) return false
  let at = 0
  if (len >= WORDS_FROM) {
    key.bytes.copyWithin(period, 0, period)
    key.bytes.copyWithin(period * 2, 0, period * 2)
    xorWords(words, len >> 2, key.words, period)
    at = len & ~3
  }
  for (let j = at % period; at < len; at++) {
    bytes[at] = (bytes[at] as number) ^ (key.bytes[j] as number)
    if (++j === period) j = 0
  }
  return true
}

/** XORs UTF-16 where it lies. */
export function xorUnits({ units, words }: Memory & { readonly units: Uint16Array }, len: number, salt: string): void {
  const period = salt.length
  if (period === 0) return
  unitsOf(salt).copyWithin(period, 0, period)
  xorWords(words, len >> 1, keyFor(period).words, period)
  if (len & 1) units[len - 1] = (units[len - 1] as number) ^ salt.charCodeAt((len - 1) % period)
}

/** XORs words with a key of so many words, again and again, in blocks that the processor's first cache holds. */
function xorWords(words: Int32Array, count: number, key: Int32Array, period: number): void {
  const block = period * Math.ceil(BLOCK_WORDS / period)
  for (let at = 0; at < count; at += block) xorColumns(words, at, Math.min(at + block, count), key, period)
}

const BLOCK_WORDS = 2048

/**
 * XORs the words of a block. Four columns of the text at a time: their keys stay in registers, and
 * that is three times as fast as going along the text, and twelve times as fast as going by bytes.
 */
function xorColumns(words: Int32Array, begin: number, end: number, key: Int32Array, period: number): void {
  let column = 0
  for (; column + 3 < period; column += 4) {
    const a = key[column] as number
    const b = key[column + 1] as number
    const c = key[column + 2] as number
    const d = key[column + 3] as number
    let i = begin + column
    for (; i + 3 < end; i += period) {
      words[i] = (words[i] as number) ^ a
      words[i + 1] = (words[i + 1] as number) ^ b
      words[i + 2] = (words[i + 2] as number) ^ c
      words[i + 3] = (words[i + 3] as number) ^ d
    }
    for (let j = column; i < end && j < column + 4; i++, j++) words[i] = (words[i] as number) ^ (key[j] as number)
  }
  for (; column < period; column++) {
    const a = key[column] as number
    for (let i = begin + column; i < end; i += period) words[i] = (words[i] as number) ^ a
  }
}

/** Under this many bytes, making the words of a key takes longer than they save. */
const WORDS_FROM = 256

interface Key {
  readonly bytes: Uint8Array
  readonly units: Uint16Array
  readonly words: Int32Array
}

let keptKey: Key | undefined

/** Memory for the words of a salt: after so many, bytes and units both begin again. */
function keyFor(period: number): Key {
  if (keptKey === undefined || keptKey.words.length < period) {
    const memory = new ArrayBuffer(Math.max(128, period) * 4)
    keptKey = { bytes: new Uint8Array(memory), units: new Uint16Array(memory), words: new Int32Array(memory) }
  }
  return keptKey
}
