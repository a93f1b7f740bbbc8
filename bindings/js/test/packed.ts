// The packed packages, installed where nothing else is.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
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
  const packed = readdirSync(PACKED as string).filter((file) => tarballs.test(file))
  writeFolder(folder, { 'package.json': JSON.stringify({ name, private: true, type }) })
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--silent', ...flags]
  execFileSync('npm', [...args, ...packed.map((file) => join(PACKED as string, file))], { cwd: folder })
  return folder
}

export function writeFolder(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

/** A project with the package as on a platform that has no build of the native part. */
export function projectWithoutAddon(root: string, name: string, type: 'module' | 'commonjs'): string {
  return project(root, name, type, /^sealstone-\d.*\.tgz$/, '--omit=optional')
}
