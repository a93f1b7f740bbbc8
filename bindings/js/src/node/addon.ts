import { createRequire } from 'node:module'

/**
 * The addon of a platform, for ES modules. Each name is written out, and the function that takes it is called `require`, since
 * those who bundle or trace find it so; `addon-commonjs.ts` is the same for CommonJS.
 */
export function addonOf(platform: string): unknown {
  // A bundler that makes CommonJS of this leaves nothing here.
  if (import.meta.url === undefined) return requireFrom(__filename, `sealstone-${platform}`)
  const require = createRequire(import.meta.url)
  switch (platform) {
    case 'linux-x64-gnu':
      return require('sealstone-linux-x64-gnu')
    default:
      return undefined
  }
}

function requireFrom(file: string, name: string): unknown {
  const load = createRequire(file)
  return load(name)
}
