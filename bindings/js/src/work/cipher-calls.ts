// The calls of the module `cipher`: in a build for pages, they bring it along (`modules.ts` beside `tsdown.config.ts`).
export * from './call.js'
