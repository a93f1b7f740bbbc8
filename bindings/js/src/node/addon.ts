import { createRequire } from 'node:module'

/** An addon, or why it was not loaded. */
export interface Tried {
  readonly addon?: unknown
  readonly error?: unknown
}

/**
 * The addon of a platform, for ES modules. Each name is written out, and the function that takes it is called `require`, since
 * those who bundle or trace find it so; within `try`, one that is not installed does not end their work. `addon-commonjs.ts` is the
 * same for CommonJS.
 */
export function addonOf(platform: string): Tried {
  try {
    // A bundler that makes CommonJS of this leaves nothing here.
    if (import.meta.url === undefined) return { addon: requireFrom(__filename, `sealstone-${platform}`) }
    const require = createRequire(import.meta.url)
    switch (platform) {
      case 'linux-x64-gnu':
        return { addon: require('sealstone-linux-x64-gnu') }
      default:
        return {}
    }
  } catch (error) {
    return { error }
  }
}

function requireFrom(file: string, name: string): unknown {
  const load = createRequire(file)
  return load(name)
}
