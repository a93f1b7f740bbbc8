/** Milliseconds of work in one turn of the event loop: pages then answer as if there were none. */
export const TURN_MS = 4

/**
 * Lets the event loop have a turn. A message to oneself comes as soon as the loop is free; timers wait for 4 milliseconds, and in
 * the background for a second.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else if (typeof MessageChannel === 'function') messageToOneself(resolve)
    else setTimeout(resolve, 0)
  })
}

/** The channel is closed then: an open one keeps programs alive that have no `setImmediate` and end of themselves. */
function messageToOneself(received: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    received()
  }
  port2.postMessage(undefined)
}

/** Work in turns of {@link TURN_MS}. */
export class Turns {
  #end = performance.now() + TURN_MS

  /** Whether this one has lasted long enough; who has just looked at the clock says what it showed. */
  isOver(now: number = performance.now()): boolean {
    return now >= this.#end
  }

  /** Lets the event loop have its turn, if this one has lasted long enough; says whether it had one. */
  async pass(): Promise<boolean> {
    if (!this.isOver()) return false
    await turn()
    this.#end = performance.now() + TURN_MS
    return true
  }
}
