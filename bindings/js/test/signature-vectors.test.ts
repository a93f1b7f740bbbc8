// Every vector of signature files and of allowed signers gives its verdict.

import { expect, test } from 'vitest'
import { vectors } from '#signatures'
import { SealstoneError, verify } from '../src/api/signature.js'
import type { Handle, Verification } from '../src/backend/calls.js'
import { call } from '../src/work/call.js'
import { concat, fromHex } from './data.js'
import { pieces, type Vector, valuesOf, vectorOf } from './vectors.js'

interface Answer {
  readonly code: string
  /** Kind and fingerprint: who signed, or whom a signature claims. */
  readonly by?: string | undefined
  readonly note?: string | undefined
  readonly length?: number | undefined
}

async function answerOf(work: () => Verification | Promise<Verification>): Promise<Answer> {
  try {
    const { kind, fingerprint, comment, contentLen } = await work()
    return { code: 'success', by: `${kind} ${fingerprint}`, note: comment, length: contentLen }
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    return { code: error.code, ...(error.code === 'unknown_signer' && { by: claimed(error.message) }) }
  }
}

/** The key that the message of an unknown signer names. */
function claimed(message: string): string {
  const [, kind, fingerprint] = /([a-z0-9-]+) (SHA256:[0-9a-f]{64})/.exec(message) ?? []
  return `${kind} ${fingerprint}`
}

/** As a platform that has files reads one: the end first where it can, or last. */
function attached(vector: Vector, isStream: boolean): Verification {
  const made: Handle[] = []
  const kept = (make: Parameters<typeof call<Handle>>[0]): Handle => {
    const handle = call(make)
    made.push(handle)
    return handle
  }
  try {
    const trusting = kept((sync) => sync.signatureTrusting(valuesOf(vector, 'namespace')[0], undefined))
    for (const line of valuesOf(vector, 'signer')) {
      call((sync) => sync.signatureTrustFile(trusting, new TextEncoder().encode(line)))
    }
    const reader = kept((sync) => sync.signatureReader(trusting))
    const verifying = kept((sync) => sync.signatureAttached(reader))
    const { file } = vector
    const start = Math.max(file.length - call((sync) => sync.signatureMaxLen()), 0)
    const end = (): number => start + call((sync) => sync.signatureAttachedAt(verifying, file.subarray(start)))
    const take = (from: number, to: number): void => {
      for (const part of pieces(file.subarray(from, to), [7, 5000])) {
        call((sync) => sync.signatureVerifyingUpdate(verifying, part))
      }
    }
    if (isStream) take(0, start)
    take(isStream ? start : 0, end())
    return call((sync) => sync.signatureVerifyingFinish(verifying))
  } finally {
    for (const handle of made) call((sync) => sync.release(handle))
  }
}

test('every vector of signature files gives its verdict', async () => {
  const faults: string[] = []
  let readings = 0
  const all = Object.entries(vectors.signature).map(([name, base64]) => vectorOf(name, base64))
  expect(all.length).toBeGreaterThanOrEqual(502)
  for (const vector of all) {
    const names = ['expect', 'form', 'content', 'namespace', 'times', 'signed-by', 'note']
    const [wanted, form, hex = '', namespace = '', times = '1', by, note] = names.map(
      (name) => valuesOf(vector, name)[0],
    )
    const content = fromHex(hex)
    const whole = concat(Array.from({ length: Number(times) }, () => content))
    const signers = valuesOf(vector, 'signer')
    const parts = async function* (): AsyncGenerator<Uint8Array> {
      yield* pieces(whole, [1, 9, 70_000])
    }
    const ways: (() => Verification | Promise<Verification>)[] =
      form === 'detached'
        ? [whole, parts()].map((content) => () => verify(content, vector.file, signers, { namespace }))
        : [true, false].map((isStream) => () => attached(vector, isStream))
    for (const way of ways) {
      const found = await answerOf(way)
      readings++
      const isWrong = found.code !== wanted || found.by !== by || found.note !== note
      if (isWrong) faults.push(`${vector.name}: ${JSON.stringify(found)} instead of ${wanted} ${by} ${note}`)
      if (form === 'detached' && found.length !== undefined && found.length !== whole.length) {
        faults.push(`${vector.name}: ${found.length} bytes instead of ${whole.length}`)
      }
    }
  }
  expect(faults).toEqual([])
  expect(readings).toBe(2 * all.length)
})

test('every file of allowed signers is read as its vector says', async () => {
  const faults: string[] = []
  const all = Object.entries(vectors.allowed).map(([name, base64]) => vectorOf(name, base64))
  expect(all.length).toBeGreaterThanOrEqual(139)
  for (const vector of all) {
    const names = ['expect', 'namespace', 'principal', 'time']
    const [expected, namespace = '', principal, time = ''] = names.map((name) => valuesOf(vector, name)[0])
    const at = new Date(time.replace(/^(....)(..)(..)(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
    const signers = { allowed: vector.file, at, ...(principal !== undefined && { principal }) }
    // The list is refused before the signature, which is none.
    const { code } = await answerOf(() => verify('', 'no signature', signers, { namespace }))
    const wanted = expected === 'success' ? 'not_a_signature' : expected
    if (code !== wanted) faults.push(`${vector.name}: ${code} instead of ${wanted}`)
  }
  expect(faults).toEqual([])
})
