/** The modules of WebAssembly, deflated and in base64: `modules.ts` beside `tsdown.config.ts` makes them of what `make wasm` builds. */
declare module '#modules' {
  export const base: string
  export const forms: string
  export const toolbox: string
}
