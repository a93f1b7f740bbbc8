// Tests that measure (memory of processes, speed, weights of files), or take long.

import { test } from 'vitest'

/**
 * Whether they run, in Node and in a page. Other work of a machine changes their numbers, so that they are red by chance in a run that is to
 * prove something.
 */
export const MEASURES = Boolean(import.meta.env?.SEALSTONE_EXHAUSTIVE)

/** A test that compares a measurement with a generous bound, and says its value. */
export function measured(name: string, work: () => void | Promise<void>): void {
  test(name, ({ skip }) => {
    skip(!MEASURES, 'it measures: SEALSTONE_EXHAUSTIVE=1')
    return work()
  })
}

/** A guard against hanging of those that take minutes on a quiet machine. */
const LONG_MS = 1_800_000

/** A test that takes long, for faults that other tests do not find. */
export function exhaustive(name: string, work: () => void | Promise<void>): void {
  test(
    name,
    ({ skip }) => {
      skip(!MEASURES, 'it takes long: SEALSTONE_EXHAUSTIVE=1')
      return work()
    },
    LONG_MS,
  )
}
