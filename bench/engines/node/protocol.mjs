// The engines' side of the benchmark's line protocol (docs/design/bench.md), for an engine in JavaScript: in Node and in a page.

import { joined } from './joined.mjs'

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

/** Parts of an output, and what is none of them alone. They may come later, one after the other. */
export const partsOf = (output) => (Array.isArray(output) || Symbol.asyncIterator in Object(output) ? output : [output])

/** A part as bytes. */
export function bytesOf(part) {
  if (typeof part === 'string') return new TextEncoder().encode(part)
  return part instanceof Uint8Array ? part : new Uint8Array(part)
}

/** An output in one piece; one that is in one piece already is not copied. */
export function whole(output) {
  const parts = partsOf(output).map(bytesOf)
  return parts.length === 1 ? parts[0] : joined(parts)
}

/**
 * What answers the lines of the protocol, each by a promise of one line; `quit` is not among them.
 *
 * `about()` promises the `version` and the `backend` that the engine says. An operation is `{ name, setUp(input, options, dir) }`, which
 * returns a trial, or a promise of one: `{ run(), written?(output), reveal?(output), opens?(bytes), units?, longestNs?() }`. `run` does
 * it once and returns the output, or a promise of it: text, bytes, a Blob, or an array of such parts where the library gives parts; of
 * an object of the library's `written` makes that. What `run` does is what the clock sees. The digest that all contenders agree on is
 * that of what `reveal` makes of the output, which may be an async iterable of parts, or of the output. `opens` is for outputs of other
 * engines, `units` the records of one operation, and `longestNs` the longest that one unit took since it was asked before.
 *
 * `host` is what an engine cannot do wherever JavaScript runs: `lengthOf` a file, `read` one (in the form that an operation has as
 * `input`: bytes, a `blob`, or in Node its `path`), `digestOf` parts, `collectGarbage`, `resetPeak` and `peakBytes` of its memory. Any of them may promise. `cpuNs` is the CPU
 * time until now, at once; a page has none, and whoever hands on the lines adds it.
 *
 * The option `max_bytes` is of every operation: a contender that takes seconds for a longer input does not take part there.
 */
export function answers({ name, about, operations }, host) {
  let trial
  const prepared = () => {
    if (trial === undefined) throw new Error('nothing is prepared')
    return trial
  }
  const commands = {
    async hello() {
      const { version, backend } = await about()
      return `engine name=${encode(name)} version=${encode(version)} backend=${encode(backend)}`
    },
    operations: () => ['operations', ...operations.map((operation) => operation.name)].join(' '),
    async prepare([wanted, ...words]) {
      trial = undefined
      const { input: path, dir, max_bytes = 'Infinity', ...options } = Object.fromEntries(words.map(pair))
      const operation = operations.find((one) => one.name === wanted)
      if (operation === undefined) throw new Unsupported(`it has no operation ${wanted}`)
      const length = await host.lengthOf(path)
      if (length > Number(max_bytes)) throw new Unsupported(`here it has inputs of up to ${max_bytes} bytes`)
      const prepared = await operation.setUp(await host.read(path, operation.input), options, dir)
      const { digest, bytes, ...seen } = await once(prepared, host)
      trial = { ...prepared, ...seen }
      await host.collectGarbage()
      await host.resetPeak()
      const units = prepared.units === undefined ? '' : ` units=${prepared.units}`
      return `ready digest=${digest} bytes=${bytes}${units}`
    },
    async run([count]) {
      const iterations = Number(count)
      if (!(Number.isSafeInteger(iterations) && iterations > 0)) throw new Error('run needs a number')
      const { run, written, isLater, isLong, longestNs } = prepared()
      // What the one before left behind is neither in the time nor in the memory of a long one; for a short one, collecting would
      // take most of the time that passes, which the harness does not believe.
      if (isLong) await host.collectGarbage()
      const cpu = host.cpuNs?.()
      const { wall, output } = await (isLater ? stretchLater(run, iterations) : stretchNow(run, iterations))
      const spent = cpu === undefined ? '' : ` cpu_ns=${host.cpuNs() - cpu}`
      trial.output = shortOutput(written === undefined ? output : written(output))
      trial.isLong = wall / iterations >= LONG_NS
      const longest = longestNs === undefined ? '' : ` longest_ns=${Math.round(longestNs())}`
      return `sample wall_ns=${wall}${spent} iterations=${iterations}${longest}`
    },
    output() {
      const { output } = prepared()
      if (output === undefined) throw new Error('its output is too long for a line')
      return `output hex=${toHex(output)}`
    },
    async opens([hex]) {
      const { opens } = prepared()
      if (opens === undefined) throw new Error('it opens no output of others')
      return `opened digest=${await host.digestOf(partsOf(await opens(fromHex(hex))))}`
    },
    async memory() {
      prepared()
      return `memory peak_bytes=${await host.peakBytes()}`
    },
  }
  return async (line) => {
    const [word, ...rest] = line.split(' ')
    try {
      if (!Object.hasOwn(commands, word)) throw new Error(`no command ${word}`)
      return await commands[word](rest)
    } catch (error) {
      const message = String(error instanceof Error ? error.message : error)
      return `${error instanceof Unsupported ? 'unsupported' : 'error'} ${message.replaceAll(/\s+/g, ' ')}`
    }
  }
}

/** The operation once, and nothing left of it when it returns but what is small. */
async function once({ run, written, reveal }, host) {
  const pending = run()
  const isLater = pending instanceof Promise
  const result = await pending
  const output = written === undefined ? result : written(result)
  const digest = await host.digestOf(partsOf(reveal === undefined ? output : await reveal(result)))
  return { digest, bytes: lengthOf(output), isLater, output: shortOutput(output) }
}

/** An operation takes so long that collecting garbage before it does not matter. */
const LONG_NS = 50e6

// Two of them, since awaiting what is there already costs a small operation as much as itself.
function stretchNow(run, iterations) {
  const begun = performance.now()
  let output
  for (let i = 0; i < iterations; i++) output = run()
  return { wall: nsSince(begun), output }
}

async function stretchLater(run, iterations) {
  const begun = performance.now()
  let output
  for (let i = 0; i < iterations; i++) output = await run()
  return { wall: nsSince(begun), output }
}

/** The clock of a page goes in steps of 5 µs: what is shorter took some time too. */
const nsSince = (begun) => Math.max(1, Math.round((performance.now() - begun) * 1e6))

function pair(word) {
  const at = word.indexOf('=')
  if (at < 0) throw new Error(`not KEY=VALUE: ${word}`)
  return [word.slice(0, at), decodeURIComponent(word.slice(at + 1))]
}

const encode = (text) => text.replaceAll(/[\s%=]/g, encodeURIComponent)

const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

const lengthOf = (output) =>
  partsOf(output).reduce((length, part) => length + (part instanceof Blob ? part.size : bytesOf(part).length), 0)

/** What a line of the protocol holds. More is not kept: it would count as memory of the next operation. */
const OUTPUT_MAX_LEN = 16 << 10

function shortOutput(output) {
  if (lengthOf(output) > OUTPUT_MAX_LEN || partsOf(output).some((part) => part instanceof Blob)) return undefined
  return new Uint8Array(whole(output))
}
