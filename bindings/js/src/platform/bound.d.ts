/** The platform that a build is for, or Node where nothing is built: `tsdown.config.ts` and `vitest.config.ts` say which file it is. */
declare module '#platform' {
  export const platform: import('./index.js').Platform
}
