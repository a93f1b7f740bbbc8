import type { Tried } from './addon.js'

/** The addon of a platform, for CommonJS; `addon.ts` is the same for ES modules. */
export function addonOf(platform: string): Tried {
  try {
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
