// The packed packages, installed where nothing else is.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the tarballs. */
export const PACKED = process.env.SEALSTONE_PACKED

/** A project with the packages in it, as `npm install` has them. */
export function project(
  root: string,
  name: string,
  type: 'module' | 'commonjs',
  tarballs: RegExp,
  ...flags: string[]
): string {
  const folder = join(root, name)
  writeFolder(folder, { 'package.json': JSON.stringify({ name, private: true, type }) })
  cpSync(installed(tarballs, flags), join(folder, 'node_modules'), { recursive: true })
  return folder
}

/** Where npm installs these tarballs: it takes two seconds, so the first that asks has it done for all, beside the tarballs. */
function installed(tarballs: RegExp, flags: readonly string[]): string {
  const packed = readdirSync(PACKED as string).filter((file) => tarballs.test(file))
  const folder = join(PACKED as string, 'installed')
  const kept = join(folder, [...packed, ...flags].join(' '))
  if (existsSync(kept)) return kept
  mkdirSync(folder, { recursive: true })
  const made = mkdtempSync(join(folder, 'new '))
  try {
    writeFolder(made, { 'package.json': JSON.stringify({ name: 'user', private: true }) })
    const args = ['install', '--offline', '--no-audit', '--no-fund', '--silent', ...flags]
    execFileSync('npm', [...args, ...packed.map((file) => join(PACKED as string, file))], { cwd: made })
    renameSync(join(made, 'node_modules'), kept)
  } catch (error) {
    // Another worker may have been faster.
    if (!existsSync(kept)) throw error
  } finally {
    rmSync(made, { recursive: true })
  }
  return kept
}

export function writeFolder(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

/** A project with the package as on a platform that has no build of the native part. */
export function projectWithoutAddon(root: string, name: string, type: 'module' | 'commonjs'): string {
  return project(root, name, type, /^sealstone-\d.*\.tgz$/, '--omit=optional')
}
