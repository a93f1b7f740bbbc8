/** The addon of a platform, for CommonJS; `addon.ts` is the same for ES modules. */
export function addonOf(platform: string): unknown {
  switch (platform) {
    case 'linux-x64-gnu':
      return require('sealstone-linux-x64-gnu')
    default:
      return undefined
  }
}
