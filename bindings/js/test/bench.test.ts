// Measurements: their numbers by a clock of the test's own, their forms, and refused input.

import { afterEach, expect, test, vi } from 'vitest'
import { benchmark, type Case, Comparison, compare, Result } from '../src/extras/bench.js'
import { measured } from './measured.js'

afterEach(() => vi.restoreAllMocks())

/** A clock that functions move; each says by how many milliseconds a call does. */
function clock(): (ms: number) => () => void {
  let now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return (ms) => () => {
    now += ms
  }
}

test('a median, its spread and calls a second are those of the samples', async () => {
  const takes = clock()
  const result = await benchmark('one', takes(0.5), { warmUpMs: 10, samples: 7, minMs: 4 })
  expect(result).toBeInstanceOf(Result)
  expect(result.calls).toBe(8)
  expect(result.toJSON()).toEqual({
    name: 'one',
    median: expect.closeTo(0.0005, 12),
    lower: expect.closeTo(0.0005, 12),
    upper: expect.closeTo(0.0005, 12),
    min: expect.closeTo(0.0005, 12),
    max: expect.closeTo(0.0005, 12),
    samples: 7,
    calls: 8,
  })
  expect(String(result)).toBe('one  500 µs  ± 0 %  2,000/s')
  expect(result.markdown()).toBe('| | median | ± | per second |\n|---|--:|--:|--:|\n| one | 500 µs | 0 % | 2,000 |\n')
})

test('a function is called at least as often as a number says, and as options do', async () => {
  const takes = clock()
  // Without the number one call would fill a sample.
  for (const told of [1000, { calls: 1000 }]) {
    expect(await benchmark('slow', takes(40), told)).toMatchObject({ samples: 15, calls: 67, median: 0.04 })
  }
  expect((await benchmark('slow', takes(40), { calls: 1000, samples: 1000 })).calls).toBe(1)
  await expect(benchmark('slow', takes(40), 0)).rejects.toThrow('calls must be a whole number')
})

test('a name of any characters is one cell of a Markdown table', () => {
  const line = (name: string): string | undefined => new Result(name, [1], 1).markdown().split('\n')[2]
  expect(line('a|b')).toBe('| a\\|b | 1 s | 0 % | 1 |')
  expect(line('a\\|b')).toBe('| a\\\\\\|b | 1 s | 0 % | 1 |')
  expect(line('a\r\nb\nc')).toBe('| a b c | 1 s | 0 % | 1 |')
})

test('quantiles are of what was measured, and a slow sample moves no median', () => {
  const result = new Result('some', [5, 1, 2, 100, 3], 1)
  expect(result).toMatchObject({ median: 3, lower: 2, upper: 5, min: 1, max: 100, samples: 5 })
  expect(new Result('two', [1, 2], 1)).toMatchObject({ median: 1.5, lower: 1.25, upper: 1.75 })
  expect(String(new Result('slow', [12.345], 1))).toBe('slow  12.3 s  ± 0 %  0.081/s')
  expect(String(new Result('fast', [1.5e-9], 1))).toBe('fast  1.5 ns  ± 0 %  666,666,667/s')
})

test('functions are measured in turns, every other round backwards, and compared in pairs', async () => {
  const takes = clock()
  const order: string[] = []
  const [one, two] = [takes(1), takes(2)]
  const done = <T>(name: string, work: () => T): T => {
    order.push(name)
    return work()
  }
  const cases: Case[] = [
    { name: 'a', fn: () => done('a', one) },
    { name: 'b|', fn: () => done('b', two) },
  ]
  const comparison = await compare(cases, { warmUpMs: 1, samples: 4, minMs: 1 })
  expect(comparison).toBeInstanceOf(Comparison)
  expect(order.slice(-8).join('')).toBe('abbaabba')
  expect(comparison.toJSON().map(({ name, ratio }) => [name, ratio])).toEqual([
    ['a', 1],
    ['b|', expect.closeTo(2, 9)],
  ])
  expect(comparison.markdown().split('\n').slice(0, 4)).toEqual([
    '| | median | ± | per second | × a |',
    '|---|--:|--:|--:|--:|',
    '| a | 1 ms | 0 % | 1,000 | 1 |',
    '| b\\| | 2 ms | 0 % | 500 | 2 |',
  ])
  expect(String(comparison)).toBe('a   1 ms  ± 0 %  1,000/s  × 1\nb|  2 ms  ± 0 %    500/s  × 2')
  expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison.toJSON())
  // Ratios are of one round: a shared drift changes none.
  const drift = new Comparison([new Result('x', [1, 2, 9], 1), new Result('y', [3, 6, 27], 1)])
  expect(drift.toJSON()[1]?.ratio).toBe(3)
})

test('what is promised is awaited in each call', async () => {
  const takes = clock()(1)
  let running = 0
  let most = 0
  const result = await benchmark(
    'later',
    async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve))
      takes()
      running--
    },
    { warmUpMs: 1, samples: 3, minMs: 3 },
  )
  expect([running, most]).toEqual([0, 1])
  expect(result).toMatchObject({ min: expect.closeTo(0.001, 12), max: expect.closeTo(0.001, 12) })
})

test('without a clock of the test it is the real one', async () => {
  const result = await benchmark('some', () => Math.sqrt(2), { warmUpMs: 1, samples: 2, minMs: 1 })
  expect([result.samples, result.min > 0, Number.isFinite(result.max)]).toEqual([2, true, true])
})

measured('a real clock says that more work takes longer', async () => {
  const work = (count: number) => () => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += Math.sqrt(i)
    return sum
  }
  const cases = [
    { name: 'little', fn: work(1000) },
    { name: 'much', fn: work(20_000) },
  ]
  const [, much] = (await compare(cases, { warmUpMs: 5, samples: 5, minMs: 2 })).toJSON()
  expect(much?.ratio).toBeGreaterThan(5)
})

test('what a function throws ends the measurement, and what is none is refused', async () => {
  const fails = () => {
    throw new Error('mine')
  }
  await expect(benchmark('x', fails)).rejects.toThrow('mine')
  await expect(benchmark('x', () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
  const fn = (): void => undefined
  const twice = [
    { name: 'a', fn },
    { name: 'a', fn },
  ]
  for (const cases of [[], 'x', {}, undefined, [5], [{ name: 'x' }], [{ fn }], twice]) {
    await expect(compare(cases as Case[]), JSON.stringify(cases)).rejects.toThrow(TypeError)
  }
  for (const options of [
    { samples: 0 },
    { samples: 1.5 },
    { minMs: -1 },
    { warmUpMs: '5' },
    { sample: 5 },
    { calls: 1.5 },
    -5,
    '5',
  ]) {
    await expect(benchmark('x', fn, options as object), JSON.stringify(options)).rejects.toThrow(TypeError)
  }
})
