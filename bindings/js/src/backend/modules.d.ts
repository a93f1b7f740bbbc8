/**
 * The modules of WebAssembly that a build has: as text, deflated and in base64, or themselves where the platform imports such files.
 * `modules.ts` beside `tsdown.config.ts` makes them of what `make wasm` builds.
 */
declare module '#modules' {
  type Given = string | WebAssembly.Module | undefined
  /** Base and forms in one. */
  export const whole: Given
  export const digest: Given
  export const cipher: Given
  export const compat: Given
  /** Keys that sign. */
  export const sign: Given
  /** Keys that agree, encapsulate and encrypt. */
  export const exchange: Given
  /** Files of age. */
  export const age: Given
}

declare module '#modules/inflate' {
  /** The module that inflates the others, where they are text: in base64 alone. */
  export const inflate: string | undefined
}

/** The words of passphrases, in one text with spaces: `words.ts` beside `tsdown.config.ts` makes it of `crates/core/words`. */
declare module '#words' {
  export const words: string
}

/** The function that loads the fall-back, in CommonJS. A bundler that reads no CommonJS makes it `undefined`. */
declare module '#fallback' {
  const commonjs: { load(reason?: string): import('./index.js').Calls }
  export default commonjs
}

/** The program of a web worker, as text: `workers/worker.ts` with all that it imports. */
/** The program of a worker for frames of FISE, as text: `extras/fise/worker.ts` with all that it imports. */
declare module '#fise-worker' {
  export const worker: string
}

declare module '#worker' {
  export const worker: string
}
