// The engines' side of the benchmark's line protocol (docs/design/bench.md), for an engine in JavaScript.

import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** What a library does not offer is no failure of it. */
export class Unsupported extends Error {}

/** The options of an operation; one that it does not know may be misspelt. */
export function readOptions(options, known) {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Unsupported(`it has no option ${unknown}`)
  return options
}

/** What a table has under the name, which an option said. */
export function choose(table, name, what) {
  if (!Object.hasOwn(table, name)) throw new Unsupported(`it has no ${what} ${name} here`)
  return table[name]
}

/**
 * Answers on the standard streams until it is told to quit.
 *
 * An operation is `{ name, setUp(input, options) }`, which returns a trial, or a promise of one: `{ run(), reveal?(output),
 * opens?(bytes), units? }`. `run` does it once and returns the output, or a promise of it: text, bytes, or an array of such parts
 * where the library gives parts; that is what the clock sees. The digest that all contenders agree on is that of what `reveal`
 * makes of the output, or of the output. `opens` is for outputs of other engines, and `units` the records of one operation.
 *
 * The option `max_bytes` is of every operation: a contender that takes seconds for a longer input does not take part there.
 */
export async function serve({ name, version, backend, operations }) {
  let trial
  const commands = {
    hello: () => `engine name=${encode(name)} version=${encode(version)} backend=${encode(backend)}`,
    operations: () => ['operations', ...operations.map((operation) => operation.name)].join(' '),
    async prepare([wanted, ...words]) {
      trial = undefined
      const { input: path, dir: _, max_bytes = 'Infinity', ...options } = Object.fromEntries(words.map(pair))
      const operation = operations.find((one) => one.name === wanted)
      if (operation === undefined) throw new Unsupported(`it has no operation ${wanted}`)
      if (statSync(path).size > Number(max_bytes)) throw new Unsupported(`here it has inputs of up to ${max_bytes} bytes`)
      const prepared = await operation.setUp(readFileSync(path), options)
      const { digest, bytes, ...seen } = await once(prepared)
      trial = { ...prepared, ...seen }
      await resetPeakMemory()
      const units = prepared.units === undefined ? '' : ` units=${prepared.units}`
      return `ready digest=${digest} bytes=${bytes}${units}`
    },
    async run([count]) {
      const iterations = Number(count)
      if (!(Number.isSafeInteger(iterations) && iterations > 0)) throw new Error('run needs a number')
      const { run, isLater, isLong } = prepared()
      // What the one before left behind is neither in the time nor in the memory of a long one; for a short one, collecting would
      // take most of the time that passes, which the harness does not believe.
      if (isLong) await collectGarbage()
      const stretch = isLater ? stretchLater(run, iterations) : stretchNow(run, iterations)
      const { wall, cpu, output } = await stretch
      trial.output = shortOutput(output)
      trial.isLong = Number(wall) / iterations >= LONG_NS
      return `sample wall_ns=${wall} cpu_ns=${(cpu.user + cpu.system) * 1000} iterations=${iterations}`
    },
    output() {
      const { output } = prepared()
      if (output === undefined) throw new Error('its output is too long for a line')
      return `output hex=${output.toString('hex')}`
    },
    async opens([hex]) {
      const { opens } = prepared()
      if (opens === undefined) throw new Error('it opens no output of others')
      return `opened digest=${digestOf(await opens(Buffer.from(hex, 'hex')))}`
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
  for await (const line of createInterface({ input: process.stdin })) {
    const [word, ...rest] = line.split(' ')
    if (word === 'quit') return
    process.stdout.write(`${await answer(commands, word, rest)}\n`)
  }
}

/** The operation once, and nothing left of it when it returns but what is small. */
async function once({ run, reveal }) {
  const pending = run()
  const isLater = pending instanceof Promise
  const output = await pending
  const digest = digestOf(reveal === undefined ? output : await reveal(output))
  return { digest, bytes: lengthOf(output), isLater, output: shortOutput(output) }
}

/** An operation takes so long that collecting garbage before it does not matter. */
const LONG_NS = 50e6

// Two of them, since awaiting what is there already costs a small operation as much as itself.
function stretchNow(run, iterations) {
  const cpu = process.cpuUsage()
  const begun = process.hrtime.bigint()
  let output
  for (let i = 0; i < iterations; i++) output = run()
  return { wall: process.hrtime.bigint() - begun, cpu: process.cpuUsage(cpu), output }
}

async function stretchLater(run, iterations) {
  const cpu = process.cpuUsage()
  const begun = process.hrtime.bigint()
  let output
  for (let i = 0; i < iterations; i++) output = await run()
  return { wall: process.hrtime.bigint() - begun, cpu: process.cpuUsage(cpu), output }
}

async function answer(commands, word, rest) {
  try {
    if (!Object.hasOwn(commands, word)) throw new Error(`no command ${word}`)
    return await commands[word](rest)
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

const partsOf = (output) => (Array.isArray(output) ? output : [output])
const bytesOf = (part) => (part instanceof ArrayBuffer ? new Uint8Array(part) : part)
const lengthOf = (output) => partsOf(output).reduce((length, part) => length + Buffer.byteLength(part), 0)

function digestOf(output) {
  const hash = createHash('sha256')
  for (const part of partsOf(output)) hash.update(bytesOf(part))
  return hash.digest('hex')
}

/** What a line of the protocol holds. More is not kept: it would count as memory of the next operation. */
const OUTPUT_MAX_LEN = 16 << 10

function shortOutput(output) {
  if (lengthOf(output) > OUTPUT_MAX_LEN) return undefined
  return Buffer.concat(partsOf(output).map((part) => Buffer.from(bytesOf(part))))
}

async function collectGarbage() {
  // An addon's memory is given back by a callback of a later turn, and some of it is found by the second time.
  for (let time = 0; time < 2; time++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

// Where the kernel does not allow it, the peak is that since the process began, which is more.
async function resetPeakMemory() {
  await collectGarbage()
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {}
}
