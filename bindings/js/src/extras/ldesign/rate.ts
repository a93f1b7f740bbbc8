// Limits how often a caller may do something.

import { branded } from '../../basics/receiver.js'
import { ErrorUtils } from './errors.js'

export type RateLimitStrategy = 'token-bucket' | 'sliding-window' | 'fixed-window'

export interface RateLimiterOptions {
  /** The most requests in a window. */
  maxRequests: number
  /** The length of a window, in milliseconds. */
  windowMs: number
  /** `sliding-window` by default. */
  strategy?: RateLimitStrategy
  /** Tokens that come into a bucket each second; by default `maxRequests` in each window. */
  refillRate?: number
  /** Tokens that a bucket holds; `maxRequests` by default. */
  maxTokens?: number
}

export interface RateLimitStatus {
  limited: boolean
  /** How many requests are allowed now. */
  remaining: number
  /** When more requests are allowed, in milliseconds since 1970. */
  resetTime: number
  /** Milliseconds until then, if no request is allowed now. */
  retryAfter?: number
}

/** The requests of one identifier so far. */
interface Window {
  /** Whether `count` requests are allowed now; if so, it counts them. */
  take(count: number, now: number): boolean
  /** How many requests are allowed now, and when more are. */
  left(now: number): readonly [remaining: number, resetTime: number]
  /** Whether its state is that of a new window. */
  isFresh(now: number): boolean
}

/**
 * Counts the requests of each identifier in this process. Use identifiers that clients cannot choose, because a client could make as many
 * as it likes. Call {@link cleanup} from time to time.
 */
export class RateLimiter {
  readonly #make: (now: number) => Window
  readonly #windows = new Map<string, Window>()

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.RateLimiter', (value) => #windows in value)

  /** @throws a `ValidationError` for numbers that would limit nothing or are invalid. */
  constructor(options: RateLimiterOptions) {
    const { maxRequests, windowMs, strategy = 'sliding-window' } = options
    const max = checked(maxRequests, 'maxRequests', 0)
    const span = checked(windowMs, 'windowMs', Number.MIN_VALUE)
    if (strategy === 'token-bucket') {
      const tokens = checked(options.maxTokens ?? max, 'maxTokens', 0)
      const rate = checked(options.refillRate ?? (max * 1000) / span, 'refillRate', 0)
      this.#make = (now) => new TokenBucket(tokens, rate / 1000, now)
    } else if (strategy === 'sliding-window') this.#make = () => new SlidingWindow(max, span)
    else if (strategy === 'fixed-window') this.#make = (now) => new FixedWindow(max, span, now)
    else throw ErrorUtils.createValidationError(`there is no strategy ${String(strategy)}`)
  }

  /** Whether an identifier may make `count` requests now; if so, it counts them. */
  tryAcquire(identifier: string, count = 1): boolean {
    if (!Number.isInteger(count) || count < 1)
      throw ErrorUtils.createValidationError('count must be a whole number from 1')
    const now = Date.now()
    return this.#of(identifier, now).take(count, now)
  }

  getStatus(identifier: string): RateLimitStatus {
    const now = Date.now()
    const [remaining, resetTime] = (this.#windows.get(identifier) ?? this.#make(now)).left(now)
    if (remaining >= 1) return { limited: false, remaining, resetTime }
    return { limited: true, remaining, resetTime, retryAfter: resetTime - now }
  }

  /** Forgets the requests of an identifier. */
  reset(identifier: string): void {
    this.#windows.delete(identifier)
  }

  resetAll(): void {
    this.#windows.clear()
  }

  /** Forgets identifiers whose requests no longer count; returns how many. */
  cleanup(): number {
    const now = Date.now()
    let count = 0
    for (const [identifier, window] of this.#windows) {
      if (!window.isFresh(now)) continue
      this.#windows.delete(identifier)
      count++
    }
    return count
  }

  #of(identifier: string, now: number): Window {
    const window = this.#windows.get(identifier) ?? this.#make(now)
    this.#windows.set(identifier, window)
    return window
  }
}

export function createTokenBucketLimiter(maxTokens: number, refillRate: number): RateLimiter {
  return new RateLimiter({ maxRequests: maxTokens, windowMs: 1000, strategy: 'token-bucket', maxTokens, refillRate })
}

export function createSlidingWindowLimiter(maxRequests: number, windowMs: number): RateLimiter {
  return new RateLimiter({ maxRequests, windowMs, strategy: 'sliding-window' })
}

export function createFixedWindowLimiter(maxRequests: number, windowMs: number): RateLimiter {
  return new RateLimiter({ maxRequests, windowMs, strategy: 'fixed-window' })
}

/** A bucket: tokens come in evenly, and each request takes some. */
class TokenBucket implements Window {
  readonly #max: number
  /** Tokens a millisecond. */
  readonly #rate: number
  #tokens: number
  #filledAt: number

  constructor(max: number, rate: number, now: number) {
    this.#max = max
    this.#rate = rate
    this.#tokens = max
    this.#filledAt = now
  }

  take(count: number, now: number): boolean {
    this.#fill(now)
    if (this.#tokens < count) return false
    this.#tokens -= count
    return true
  }

  left(now: number): readonly [number, number] {
    this.#fill(now)
    const remaining = Math.floor(this.#tokens)
    return [remaining, now + Math.ceil((remaining + 1 - this.#tokens) / this.#rate)]
  }

  isFresh(now: number): boolean {
    this.#fill(now)
    return this.#tokens >= this.#max
  }

  #fill(now: number): void {
    // A clock that is set back adds no tokens and removes none.
    this.#tokens = Math.min(this.#max, this.#tokens + Math.max(0, now - this.#filledAt) * this.#rate)
    this.#filledAt = now
  }
}

/** The requests of the last window, which moves with the time. */
class SlidingWindow implements Window {
  readonly #max: number
  readonly #span: number
  /** The time of each request, the oldest first. */
  #times: number[] = []

  constructor(max: number, span: number) {
    this.#max = max
    this.#span = span
  }

  take(count: number, now: number): boolean {
    this.#forget(now)
    if (this.#times.length + count > this.#max) return false
    for (let i = 0; i < count; i++) this.#times.push(now)
    return true
  }

  left(now: number): readonly [number, number] {
    this.#forget(now)
    return [this.#max - this.#times.length, (this.#times[0] ?? now) + this.#span]
  }

  isFresh(now: number): boolean {
    this.#forget(now)
    return this.#times.length === 0
  }

  #forget(now: number): void {
    const first = this.#times.findIndex((time) => time > now - this.#span)
    if (first !== 0) this.#times = first < 0 ? [] : this.#times.slice(first)
  }
}

/** The requests since a window began. At its end, the count begins anew. */
class FixedWindow implements Window {
  readonly #max: number
  readonly #span: number
  #count = 0
  #begun: number

  constructor(max: number, span: number, now: number) {
    this.#max = max
    this.#span = span
    this.#begun = now
  }

  take(count: number, now: number): boolean {
    this.#begin(now)
    if (this.#count + count > this.#max) return false
    this.#count += count
    return true
  }

  left(now: number): readonly [number, number] {
    this.#begin(now)
    return [this.#max - this.#count, this.#begun + this.#span]
  }

  isFresh(now: number): boolean {
    this.#begin(now)
    return this.#count === 0
  }

  #begin(now: number): void {
    if (now - this.#begun < this.#span) return
    this.#count = 0
    this.#begun = now
  }
}

function checked(value: number, name: string, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw ErrorUtils.createValidationError(`${name} must be a number${least > 0 ? ' above 0' : ' from 0'}`)
}
