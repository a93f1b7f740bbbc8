/** The platform that a build is for, or Node where nothing is built: `tsdown.config.ts` and `vitest.config.ts` say which file it is. */
declare module '#platform' {
  export const platform: import('./index.js').Platform
}

/** The source of randomness: the addon in Node, and the host itself elsewhere. */
declare module '#randomness' {
  /** Fills memory of any length; throws `no_randomness`. */
  export const fill: (memory: Uint8Array<ArrayBuffer>) => void
}
