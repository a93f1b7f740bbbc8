// The engines' side of the benchmark's line protocol (docs/design/bench.md), for an engine in JavaScript.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** What a library does not offer is no failure of it. */
export class Unsupported extends Error {}

/**
 * Answers on the standard streams until it is told to quit.
 *
 * An operation is `{ name, setUp(input, options) }`, which returns a trial: `{ run(), reveal?(output) }`. `run` does it once and
 * returns the output, text or bytes; that is what the clock sees. The digest that all contenders agree on is that of what
 * `reveal` makes of the output, or of the output.
 */
export function serve({ name, version, backend, operations }) {
  let trial
  const commands = {
    hello: () => `engine name=${encode(name)} version=${encode(version)} backend=${encode(backend)}`,
    operations: () => ['operations', ...operations.map((operation) => operation.name)].join(' '),
    prepare([wanted, ...words]) {
      trial = undefined
      const { input, dir: _, ...options } = Object.fromEntries(words.map(pair))
      const operation = operations.find((one) => one.name === wanted)
      if (operation === undefined) throw new Unsupported(`it has no operation ${wanted}`)
      const prepared = operation.setUp(readFileSync(input), options)
      const output = prepared.run()
      const revealed = prepared.reveal === undefined ? output : prepared.reveal(output)
      trial = prepared
      resetPeakMemory()
      return `ready digest=${createHash('sha256').update(revealed).digest('hex')} bytes=${Buffer.byteLength(output)}`
    },
    run([count]) {
      const iterations = Number(count)
      if (!(Number.isSafeInteger(iterations) && iterations > 0)) throw new Error('run needs a number')
      const { run } = prepared()
      const cpu = process.cpuUsage()
      const begun = process.hrtime.bigint()
      let output
      for (let i = 0; i < iterations; i++) output = run()
      const wall = process.hrtime.bigint() - begun
      const used = process.cpuUsage(cpu)
      trial.output = output
      return `sample wall_ns=${wall} cpu_ns=${(used.user + used.system) * 1000} iterations=${iterations}`
    },
    memory() {
      prepared()
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))
      if (peak === null) throw new Error('/proc/self/status has no VmHWM')
      return `memory peak_bytes=${Number(peak[1]) * 1024}`
    },
  }
  const prepared = () => {
    if (trial === undefined) throw new Error('nothing is prepared')
    return trial
  }
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const [word, ...rest] = line.split(' ')
    if (word === 'quit') {
      lines.close()
      return
    }
    process.stdout.write(`${answer(commands, word, rest)}\n`)
  })
}

function answer(commands, word, rest) {
  try {
    if (!Object.hasOwn(commands, word)) throw new Error(`no command ${word}`)
    return commands[word](rest)
  } catch (error) {
    return `${error instanceof Unsupported ? 'unsupported' : 'error'} ${String(error.message).replaceAll(/\s+/g, ' ')}`
  }
}

function pair(word) {
  const at = word.indexOf('=')
  if (at < 0) throw new Error(`not KEY=VALUE: ${word}`)
  return [word.slice(0, at), decodeURIComponent(word.slice(at + 1))]
}

const encode = (text) => text.replaceAll(/[\s%=]/g, encodeURIComponent)

// Where the kernel does not allow it, the peak is that since the process began, which is more.
function resetPeakMemory() {
  globalThis.gc?.()
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {}
}
