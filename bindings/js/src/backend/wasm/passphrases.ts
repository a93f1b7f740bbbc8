// Passphrases in normalization form C, which the modules leave to their host.

import * as host from './intrinsics.js'

/** Calls `work` with a passphrase as {@link normalOf} has it. */
export function normalized<T>(text: Uint8Array | undefined, work: (text: Uint8Array | undefined) => T): T {
  if (text === undefined) return work(text)
  const normal = normalOf(text)
  try {
    return work(normal)
  } finally {
    if (normal !== text) host.fill(normal, 0)
  }
}

/** A passphrase in normalization form C: itself, or a copy. What is no UTF-8 the module refuses. */
export function normalOf(text: Uint8Array): Uint8Array {
  if (isAscii(text)) return text
  try {
    return host.encode(host.normalize(host.decode(text), 'NFC'))
  } catch {
    return text
  }
}

function isAscii(text: Uint8Array): boolean {
  const length = host.arrayLength(text)
  for (let i = 0; i < length; i++) if ((text[i] as number) > 0x7f) return false
  return true
}
