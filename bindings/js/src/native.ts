import { createRequire } from 'node:module'
import type { Backend } from './backend.js'
import { SealstoneError } from './error.js'

/** Loads the addon of this platform from its package, which npm has installed beside this one. */
export function loadNative(): Backend {
  const require = createRequire(import.meta.url)
  const names = packageNames()
  for (const name of names) {
    try {
      return require(name) as Backend
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (code === 'MODULE_NOT_FOUND' && message.includes(name)) continue
      const text = `the native part of sealstone, the package ${name}, cannot be loaded: ${message}`
      throw new SealstoneError('unavailable_backend', text, { cause: error })
    }
  }
  throw new SealstoneError(
    'unavailable_backend',
    `the native part of sealstone for this platform, the package ${names.join(' or ')}, is not installed. ` +
      'If README names the platform, npm may have left the package out for a lock file that was made on another platform ' +
      '(https://github.com/npm/cli/issues/4828), or because of --omit=optional: ' +
      'remove node_modules and package-lock.json, and run npm install again',
  )
}

/** The packages that there may be for this platform; npm installs the one for its C library. */
function packageNames(): string[] {
  const { platform, arch } = process
  const suffixes = platform === 'linux' ? ['-gnu', '-musl'] : platform === 'win32' ? ['-msvc'] : ['']
  return suffixes.map((suffix) => `sealstone-${platform}-${arch}${suffix}`)
}
