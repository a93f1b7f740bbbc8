/** How long operations took, in seconds. */
export interface Latency {
  /** How many were timed: one of 64 by chance of what is short, and all others. */
  readonly samples: number
  readonly mean: number
  /** Half of them took no longer; as the others exact to an eighth. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Parts of each power of two. */
const PARTS = 8
/** From a nanosecond, in powers of two, to some 18 minutes. */
const POWERS = 40

/** Times in buckets of a fixed number, each an eighth wider than the one before. */
export class Histogram {
  readonly #buckets = new Uint32Array(PARTS * POWERS)
  #samples = 0
  #sum = 0
  #max = 0

  add(milliseconds: number): void {
    const nanoseconds = milliseconds * 1e6
    this.#samples++
    this.#sum += nanoseconds
    if (nanoseconds > this.#max) this.#max = nanoseconds
    const at = Math.floor(Math.log2(Math.max(nanoseconds, 1)) * PARTS)
    const bucket = Math.min(at, PARTS * POWERS - 1)
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1
  }

  report(): Latency | undefined {
    if (this.#samples === 0) return undefined
    return {
      samples: this.#samples,
      mean: this.#sum / this.#samples / 1e9,
      p50: this.#quantile(0.5),
      p95: this.#quantile(0.95),
      p99: this.#quantile(0.99),
      max: this.#max / 1e9,
    }
  }

  /** The end of the bucket in which so many lie, and no more than the longest. */
  #quantile(quantile: number): number {
    let left = Math.ceil(quantile * this.#samples)
    const bucket = this.#buckets.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return Math.min(2 ** ((bucket + 1) / PARTS), this.#max) / 1e9
  }
}
