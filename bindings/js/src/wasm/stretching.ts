// Keys of passphrases for those who wait. They are derived in turns of the event loop, each in an instance of its own: linear memory
// never becomes less, and a file may ask for a gibibyte.

import type { Handle, Out } from '../platform/sync.js'
import type { JobTurns } from './books.js'
import type { Source } from './held.js'
import type { Base } from './index.js'
import { callOf, Instance } from './instance.js'
import * as host from './intrinsics.js'
import { BASE } from './signatures.js'

/** Derives what was asked for. */
export type Stretch = (asked: Uint8Array, turns: JobTurns) => Promise<Out>

/** What derives with the instances of a module, one key after the other: there is never the memory of two. */
export function stretcher(source: Source): Stretch {
  let before: Promise<unknown> = Promise.resolve()
  return (asked, turns) => {
    const derive = (): Promise<Out> => derived(new Instance(source()), asked, turns)
    // What failed is the error of those who waited for it, and of no others.
    const key = before.then(derive, derive)
    before = key
    return key
  }
}

async function derived(instance: Instance, asked: Uint8Array, turns: JobTurns): Promise<Out> {
  // What a call leaves on the stack is erased with the rest.
  const call = (name: keyof typeof BASE, ...args: unknown[]): unknown =>
    instance.call(callOf(name, BASE[name], 0), args)
  try {
    turns.check()
    const stretching = call('stretching', asked)
    while (!call('stretchingStep', stretching, AMOUNT)) await turns.pass()
    return call('stretchingKey', stretching) as Out
  } finally {
    if (!instance.isOver) await instance.erase()
  }
}

/** A step of so much takes a millisecond, or a few where there is much memory. */
const AMOUNT = 1024

/** Lets an encryptor, a decryptor or a rewrapper know what its passphrases come to, for a file that begins so. */
export async function known(
  base: Pick<Base, 'stretchAsked' | 'stretchKnown' | 'stretch'>,
  holder: Handle,
  file: Uint8Array,
  turns: JobTurns,
): Promise<void> {
  for (;;) {
    const asked = base.stretchAsked(holder, file)
    if (host.arrayLength(asked) === 0) return
    try {
      const key = await base.stretch(asked, turns)
      base.stretchKnown(holder, asked, key)
      host.fill(key, 0)
    } finally {
      host.fill(asked, 0)
    }
  }
}
