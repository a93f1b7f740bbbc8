/** What makes text of bytes and bytes of text: by what Node has, where it has it, or in a build for pages by what pages have. */
declare module '#transcoder' {
  export const transcoder: () => import('./transcoder.js').Transcoder
}

/** The threads that Node has in a module, where it has it; in a build for pages none. */
declare module '#threads' {
  export const threads: () =>
    | {
        readonly Worker: new (program: string, options: { eval: true; name: string }) => object
        readonly parentPort: { once(type: 'message', listener: (port: MessagePort) => void): void } | null
      }
    | undefined
  export const coreCount: () => number
}
