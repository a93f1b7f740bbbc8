import { createRequire } from 'node:module'
import type { Backend } from './backend.js'
import { asSealstoneError, SealstoneError } from './error.js'

/** What the addon has for this module alone. */
interface Addon extends Backend {
  /** Throws where the environment variable `SEALSTONE_BACKEND` asks for a backend that is not there. */
  checkBackend(): void
}

/** The addon of this platform, if it can compute as the environment wants it. */
export function loadNative(): Backend {
  const addon = loadAddon()
  try {
    addon.checkBackend()
  } catch (error) {
    throw asSealstoneError(error)
  }
  return addon
}

/** Loads the addon from its package, which npm has installed beside this one. */
function loadAddon(): Addon {
  const require = createRequire(import.meta.url)
  const names = packageNames()
  for (const name of names) {
    try {
      return require(name) as Addon
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
