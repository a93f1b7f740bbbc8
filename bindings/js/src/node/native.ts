import type { BulkCalls, FileCalls, SyncCalls } from '../backend/calls.js'
import { failureOf, SealstoneError } from '../basics/error.js'
import { addonOf } from './addon.js'

/** The exports of the addon: all parts. */
export interface Addon extends SyncCalls, BulkCalls, FileCalls {}

/** The platforms that have a build: a package of the addon each, which npm installs beside this one. */
const BUILDS = ['linux-x64-gnu']

/**
 * Loads the addon of this platform.
 *
 * @throws `unavailable_backend`
 */
export function loadNative(): Addon {
  const platform = BUILDS.find((build) => build === name('gnu') || build === name())
  if (platform === undefined) throw noBuild(name())
  const { addon, error } = addonOf(platform) as { addon?: Addon & { default?: Addon }; error?: unknown }
  // Where a bundler has put the package's ES module.
  if (addon !== undefined) return addon.default ?? addon
  if (usesMusl()) throw noBuild(name('musl'), error)
  throw new SealstoneError('unavailable_backend', `the package sealstone-${platform} ${obstacle(error)}`, {
    cause: error,
  })
}

/** Why the addon was not loaded, in a few words: the guide to deployment has the rest. */
function obstacle(error: unknown): string {
  const { code, message } = failureOf(error)
  if (code === 'MODULE_NOT_FOUND') return 'is not installed, or not beside the bundle'
  if (code === 'ERR_DLOPEN_DISABLED') {
    return `is not loaded: ${'permission' in process ? '--permission needs --allow-addons' : 'Node was started with --no-addons'}`
  }
  // One line, in which the names of files have no folders.
  const [line] = String(message).split('\n') as [string]
  return `cannot be loaded: ${line.replace(/\.$/, '').replaceAll(/\/[^\s:]*\//g, '')}`
}

function noBuild(platform: string, cause?: unknown): SealstoneError {
  const musl = platform.endsWith('-musl') ? '; on Alpine use an image with glibc, such as node:22-bookworm-slim' : ''
  const text = `sealstone has no native part for ${platform} yet${musl}`
  return new SealstoneError('unavailable_backend', text, cause === undefined ? undefined : { cause })
}

function name(...libc: string[]): string {
  return [process.platform, process.arch, ...libc].join('-')
}

/** Whether the C library is musl; asked where the addon does not load, since the report takes milliseconds. */
function usesMusl(): boolean {
  const report = process.report as Report | undefined
  if (process.platform !== 'linux' || typeof report?.getReport !== 'function') return false
  // Without it, the report looks up the names of the addresses that the process is connected to.
  const { excludeNetwork } = report
  report.excludeNetwork = true
  const { header } = report.getReport()
  report.excludeNetwork = excludeNetwork
  return header !== undefined && header.glibcVersionRuntime === undefined
}

/** A part of Node that the types of Node 20 do not have whole. */
interface Report {
  excludeNetwork?: boolean | undefined
  getReport(): { header?: { glibcVersionRuntime?: string } }
}
