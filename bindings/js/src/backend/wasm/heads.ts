// The beginnings of files and messages: a call that looks at no more of long bytes gets no more.

import * as host from './intrinsics.js'
import type { BaseModule } from './module.js'

/** A head is as a rule shorter than this. */
const HEAD_LEN = 1 << 13

/** As many bytes as most heads have. */
export function startOf(bytes: Uint8Array): Uint8Array {
  return host.partOf(bytes, 0, Math.min(host.arrayLength(bytes), HEAD_LEN))
}

/** The beginning of a file, with its head: the rest of a long one is copied to the module once, when it is opened. */
export function headOf(base: BaseModule, file: Uint8Array): Uint8Array {
  const length = host.arrayLength(file)
  if (length <= HEAD_LEN) return file
  const start = startOf(file)
  try {
    return host.partOf(file, 0, Math.min(length, Math.max(HEAD_LEN, base.fileHeadLen(start))))
  } catch {
    // Armour, or no file: the opener says which, after what it says of its options.
    const ofText = lookedAt(base, file)
    return host.arrayLength(ofText) > HEAD_LEN ? ofText : start
  }
}

/** Whether a file is text. */
export function isArmoured(base: BaseModule, file: Uint8Array): boolean {
  return base.fileIsArmoured(lookedAt(base, file))
}

/** As much of the beginning as tells whether it is text. */
export function lookedAt(base: BaseModule, bytes: Uint8Array): Uint8Array {
  const length = host.arrayLength(bytes)
  const start = host.partOf(bytes, 0, Math.min(length, base.armourLookLen(NONE)))
  return host.partOf(bytes, 0, Math.min(length, base.armourLookLen(start)))
}

const NONE = new host.Bytes(0)
