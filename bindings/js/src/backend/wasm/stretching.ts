// Keys of passphrases and passwords for those who wait. They are derived in turns of the event loop, each in an instance of its own:
// linear memory never becomes less, and a file may ask for a gibibyte.

import type { Out } from '../calls.js'
import type { JobTurns } from './books.js'
import { type Call, callOf, Instance } from './instance.js'
import * as host from './intrinsics.js'
import type { Source } from './module.js'
import type { Signatures } from './signatures.js'

/** The call that begins a derivation, of these arguments; it answers an object. */
export type InSteps = (begin: string, args: readonly unknown[], turns: JobTurns) => Promise<Out>

/** When the last one has ended, or failed, which is the error of those who waited for it alone. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Derives with instances of a module: by its calls for a step and for the result, by their names. One is derived after the other:
 * there is never the memory of two.
 */
export function stepper(source: Source, signatures: Signatures, step: string, end: string): InSteps {
  // The rest of a call on the stack is erased with the instance.
  const call = (name: string): Call => callOf(name, signatures[name] as string, 0)
  return (begin, args, turns) => {
    const derive = (): Promise<Out> =>
      derived(new Instance(source()), [call(begin), call(step), call(end)], args, turns)
    const result = before.then(derive)
    before = result.then(ended, ended)
    return result
  }
}

/** A result is those who asked for it's. */
function ended(): void {}

async function derived(
  instance: Instance,
  [begin, step, end]: readonly [Call, Call, Call],
  args: readonly unknown[],
  turns: JobTurns,
): Promise<Out> {
  try {
    turns.check()
    const object = instance.call(begin, args)
    while (!instance.call(step, [object, AMOUNT])) await turns.pass()
    return instance.call(end, [object]) as Out
  } finally {
    if (!instance.isOver) await instance.erase()
  }
}

/** A step of so much takes a millisecond, or a few where there is much memory. */
const AMOUNT = 1024

/** How an object learns the keys of its passphrases. */
interface Knowing {
  /** Says which key is needed next; no bytes where none is. */
  asked(): Out
  derive(asked: Out): Promise<Out>
  know(asked: Out, key: Out): void
}

/** Lets an object know the keys of its passphrases. */
export async function known({ asked: next, derive, know }: Knowing): Promise<void> {
  for (;;) {
    const asked = next()
    if (host.arrayLength(asked) === 0) return
    try {
      const key = await derive(asked)
      know(asked, key)
      host.fill(key, 0)
    } finally {
      host.fill(asked, 0)
    }
  }
}
