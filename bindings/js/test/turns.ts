// Turns of the event loop, and a clock that no busy machine changes.

import { expect, type MockInstance, vi } from 'vitest'
import { turn } from '../src/basics/turn.js'

/**
 * A clock in place of `performance.now`: at each look more milliseconds have passed than work lasts in one turn. So work in turns
 * has one wherever it asks for one, on every machine. The caller restores it.
 */
export function hastyClock(ms = 5): MockInstance<() => number> {
  let now = performance.now()
  return vi.spyOn(performance, 'now').mockImplementation(() => {
    now += ms
    return now
  })
}

/** The work's result, and how many turns the event loop has meanwhile, by a hasty clock. */
export async function turnsOf<T>(work: () => Promise<T>): Promise<[T, number]> {
  const clock = hastyClock()
  try {
    let isDone = false
    const done = work().finally(() => {
      isDone = true
    })
    // It is awaited below, and handled until then.
    done.catch(() => undefined)
    let turns = 0
    for (; !isDone; turns++) await turn()
    return [await done, turns]
  } finally {
    clock.mockRestore()
  }
}

/**
 * The event loop goes on while this is done elsewhere. A thread may be done before this one is scheduled again: then it is tried once more.
 * Work that holds up the loop does so every time.
 */
export async function goesOnElsewhere<T>(least: number, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const [result, turns] = await turnsOf(work)
    if (turns > least) return result
    if (tries === 10) expect(turns).toBeGreaterThan(least)
  }
}

/** Rejects with the reason of a signal that comes some turns after the work has begun, in which it has some of its own. */
export async function endsInTheMiddle(work: (signal: AbortSignal) => Promise<unknown>, turns = 1): Promise<void> {
  const [controller, reason, clock] = [new AbortController(), new Error('enough'), hastyClock()]
  try {
    const working = work(controller.signal)
    const ended = expect(working).rejects.toBe(reason)
    for (let i = 0; i < turns; i++) await turn()
    controller.abort(reason)
    await ended
  } finally {
    clock.mockRestore()
  }
}
