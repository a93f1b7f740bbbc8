/** What makes text of bytes and bytes of text: by what Node has, where it has it, or in a build for pages by what pages have. */
declare module '#transcoder' {
  export const transcoder: () => import('./transcoder.js').Transcoder
}
