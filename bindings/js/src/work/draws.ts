import { fill } from '#randomness'
import { SealstoneError } from '../basics/error.js'

/** So many numbers below `n`, which is at most 2^53, each as likely as any other. */
export function draws(n: number, count: number): number[] {
  // The remainder at the top of 53 bits would make small numbers likelier, and is drawn again.
  const limit = 2 ** 53 - (2 ** 53 % n)
  const drawn: number[] = []
  while (drawn.length < count) {
    const words = new Uint32Array(2 * (count - drawn.length))
    const bytes = new Uint8Array(words.buffer)
    fill(bytes)
    for (let at = 0; at < words.length; at += 2) {
      const number = ((words[at] as number) >>> 11) * 2 ** 32 + (words[at + 1] as number)
      if (number < limit) drawn.push(number % n)
    }
    bytes.fill(0)
  }
  return drawn
}

/** So many members of a list, each as likely as any other. */
export function chosen(list: readonly string[], count: number): string[] {
  return draws(checkedList(list).length, count).map((at) => list[at] as string)
}

/** The bits of so many choices. */
export function entropyOf(list: readonly string[], count: number): number {
  return count * Math.log2(checkedList(list).length)
}

function checkedList(list: readonly string[]): readonly string[] {
  if (list.length > 1 && new Set(list).size === list.length) return list
  const rule = 'an alphabet or a list to draw from must have at least two members, and none of them twice'
  throw new SealstoneError('invalid_encoding', `invalid encoding: ${rule}`)
}
