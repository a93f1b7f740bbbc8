// A cache of ciphers with the key schedules of key texts: at most a hundred, each for five minutes.

import { type Cipher, cipher } from '../../api/hazmat.js'
import { type MacKey, mac } from '../../api/mac.js'
import { randomBytes } from '../../api/random.js'
import { Latest } from './latest.js'
import type { AESKeySize, AESMode } from './results.js'
import { forgetDerived, withKey } from './secrets.js'

/** The most ciphers in the cache. */
const CACHED_MAX = 100
const LIFETIME_MS = 300_000

interface Kept {
  readonly cipher: Cipher
  /** When it expires. */
  readonly end: number
}

/** By a keyed hash of the key text and the kind, the oldest first. So no key text is in the cache. */
const kept = /* @__PURE__ */ new Map<string, Kept>()
let names: MacKey | undefined
/** The last cipher, found without its hash: the hash takes half the time of a short text. */
const latest = /* @__PURE__ */ new Latest<Cipher>(() => {})
let timer: ReturnType<typeof setTimeout> | undefined
let [hits, misses, evictions] = [0, 0, 0]

/** The cipher of a key text. Use it at once, and do not keep it. */
export function cipherOf(key: string, bits: AESKeySize, mode: Exclude<AESMode, 'GCM'>): Cipher {
  const kind = `${mode} ${bits}`
  const again = latest.find(kind, key)
  if (again !== undefined) {
    hits++
    return again
  }
  names ??= mac('blake3-keyed', randomBytes(32))
  const name = names.signText(`${kind} ${key}`)
  const found = kept.get(name)
  if (found !== undefined && found.end > performance.now()) {
    hits++
    return latest.hold(kind, key, found.cipher)
  }
  misses++
  forget(name)
  const algorithm = `aes-${bits}-${mode.toLowerCase() as Lowercase<typeof mode>}` as const
  const made = withKey(key, bits, (bytes) => cipher(algorithm, bytes))
  const [oldest] = kept.keys()
  if (kept.size >= CACHED_MAX && oldest !== undefined) {
    forget(oldest)
    evictions++
  }
  kept.set(name, { cipher: made, end: performance.now() + LIFETIME_MS })
  watch()
  return latest.hold(kind, key, made)
}

/** Forgets all ciphers and derived keys. */
export function forgetKeys(): void {
  for (const name of [...kept.keys()]) forget(name)
  forgetDerived()
}

/** The statistics of the cache of derived keys, of which each thread has one. */
export interface CacheStats {
  size: number
  maxSize: number
  /** Calls since the thread began: those that found their key, those that did not, and all. */
  hits: number
  misses: number
  totalRequests: number
  /** From 0 to 1. */
  hitRate: number
  /** Keys that left because there were too many, not because they were too old. */
  evictions: number
}

export function cacheStats(): CacheStats {
  const totalRequests = hits + misses
  const hitRate = totalRequests === 0 ? 0 : hits / totalRequests
  return { size: kept.size, maxSize: CACHED_MAX, hits, misses, totalRequests, hitRate, evictions }
}

function forget(name: string): void {
  latest.forget()
  kept.get(name)?.cipher.destroy()
  kept.delete(name)
}

/** Sets a timer for the oldest cipher, if there is one. The timer keeps no process alive. */
function watch(): void {
  const [oldest] = kept.values()
  if (timer !== undefined || oldest === undefined) return
  const wait = Math.max(oldest.end - performance.now(), 1)
  timer = setTimeout(() => {
    timer = undefined
    const now = performance.now()
    for (const [name, { end }] of [...kept]) if (end <= now) forget(name)
    watch()
  }, wait)
  // In browsers, a timer is a number.
  const { unref } = timer as { unref?(): void }
  unref?.call(timer)
}
