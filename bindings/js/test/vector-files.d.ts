/** The vectors: `vectors.ts` beside `vitest.config.ts` makes them of the files. */
declare module '#vectors' {
  export const vectors: Record<'file' | 'keys', Record<string, string>>
}
