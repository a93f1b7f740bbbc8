// Node's part of an engine: the streams, files, the clocks of the process, and its memory.

import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { answers, bytesOf } from './protocol.mjs'

/** Answers on the standard streams until it is told to quit. */
export async function serve(engine) {
  const answer = answers(engine, HOST)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'quit') return
    process.stdout.write(`${await answer(line)}\n`)
  }
}

const HOST = {
  lengthOf: (path) => statSync(path).size,
  read: (path, form) => (form === 'path' ? path : readFileSync(path)),
  async digestOf(parts) {
    const hash = createHash('sha256')
    for await (const part of parts) {
      if (part instanceof Blob) for await (const piece of part.stream()) hash.update(piece)
      else hash.update(bytesOf(part))
    }
    return hash.digest('hex')
  },
  cpuNs() {
    const { user, system } = process.cpuUsage()
    return (user + system) * 1000
  },
  async collectGarbage() {
    // An addon's memory is given back by a callback of a later turn, and some of it is found by the second time.
    for (let time = 0; time < 2; time++) {
      globalThis.gc?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  },
  // Where the kernel does not allow it, the peak is that since the process began, which is more.
  resetPeak() {
    try {
      writeFileSync('/proc/self/clear_refs', '5')
    } catch {}
  },
  peakBytes: () => peakBytes('self'),
}

/** The peak resident set of a process. */
export function peakBytes(pid) {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (peak === null) throw new Error(`/proc/${pid}/status has no VmHWM`)
  return Number(peak[1]) * 1024
}
