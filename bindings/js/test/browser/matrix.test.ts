// The command line, Node and a page decrypt each other's files: every kind of recipient, suite and form.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import table from '../../../table.json' with { type: 'json' }
import * as node from '../../src/api/index.js'
import { fromBase64, pattern, toBase64 } from '../data.js'
import { projectWithoutAddon } from '../packed.js'
import { launch } from './chromium.js'
import { importing, importMap } from './package.js'
import { type Site, serve } from './site.js'

const CLI = process.env.SEALSTONE_CLI ?? 'sealstone'
const SUITES = ['aes-256-gcm', 'chacha20-poly1305', 'sm4-gcm'] as const
const PASSPHRASE = 'correct horse'
const PASSPHRASE_OPTIONS = ['-p', '--passphrase-env', 'PASSPHRASE']

const root = mkdtempSync(join(tmpdir(), 'sealstone-matrix-'))
let browser: Browser
let site: Site
let page: Page

beforeAll(async () => {
  const project = projectWithoutAddon(root, 'site', 'module')
  site = await serve(project, {
    '/': { body: '<!doctype html><script type="module" src="/main.mjs"></script>' },
    '/main.mjs': { body: importing('globalThis.packages = packages', importMap(project)) },
  })
  browser = await launch()
  page = await browser.newPage()
  await page.goto(site.origin)
  await page.waitForFunction('globalThis.packages !== undefined')
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  rmSync(root, { recursive: true })
})

/** A file's reader: a passphrase, or an identity in a form that all three read. */
interface Reader {
  readonly kind: string
  readonly identity?: string
  readonly recipient?: string
}

interface How {
  readonly suite: (typeof SUITES)[number]
  readonly armour: boolean
}

interface Party {
  encrypt(data: Uint8Array, to: Reader, how: How): Promise<Uint8Array>
  decrypt(file: Uint8Array, as: Reader): Promise<Uint8Array>
}

function fileOf(name: string, text: string): string {
  const path = join(root, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const PARTIES: Record<'the command line' | 'Node' | 'a page', Party> = {
  'the command line': {
    async encrypt(data, { kind, recipient, identity }, { suite, armour }) {
      const to =
        kind === 'passphrase'
          ? PASSPHRASE_OPTIONS
          : kind === 'key'
            ? ['--key-file', fileOf('key', identity as string)]
            : ['-R', fileOf('recipient', recipient as string)]
      return run(['encrypt', ...to, '--suite', suite, ...(armour ? ['--armor'] : [])], data)
    },
    async decrypt(file, { kind, identity }) {
      const by = kind === 'passphrase' ? PASSPHRASE_OPTIONS : kind === 'key' ? ['--key-file'] : ['-i']
      return run(['decrypt', ...by, ...(identity === undefined ? [] : [fileOf('identity', identity)])], file)
    },
  },
  Node: {
    async encrypt(data, { identity }, how) {
      if (identity === undefined) return node.encrypt(data, { passphrase: PASSPHRASE, ...how })
      return node.encrypt(data, { recipients: node.recipientOf(node.importIdentitySync(identity)), ...how })
    },
    async decrypt(file, { identity }) {
      if (identity === undefined) return node.decrypt(file, { passphrase: PASSPHRASE })
      return node.decrypt(file, { identities: node.importIdentitySync(identity) })
    },
  },
  'a page': {
    encrypt: (data, { identity }, how) => inPage('encrypt', data, identity, how),
    decrypt: (file, { identity }) => inPage('decrypt', file, identity, undefined),
  },
}

function run(args: string[], input: Uint8Array): Uint8Array {
  const env = { ...process.env, PASSPHRASE }
  return execFileSync(CLI, args, { input, env, maxBuffer: 1 << 26 })
}

async function inPage(
  work: 'encrypt' | 'decrypt',
  data: Uint8Array,
  identity: string | undefined,
  how: How | undefined,
): Promise<Uint8Array> {
  const result = await page.evaluate(
    async ([work, base64, identity, how, passphrase]) => {
      const { sealstone } = (globalThis as unknown as { packages: { sealstone: typeof node } }).packages
      const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const key = identity === undefined ? undefined : sealstone.importIdentitySync(identity)
      const result =
        work === 'encrypt'
          ? await sealstone.encrypt(data, {
              ...(key === undefined ? { passphrase } : { recipients: sealstone.recipientOf(key) }),
              ...how,
            })
          : await sealstone.decrypt(data, key === undefined ? { passphrase } : { identities: key })
      let text = ''
      for (const byte of result) text += String.fromCharCode(byte)
      return btoa(text)
    },
    [work, toBase64(data), identity, how, PASSPHRASE] as const,
  )
  return fromBase64(result)
}

const KINDS = [...table.kinds.filter((kind) => kind.isGenerated).map(({ name }) => name), 'passphrase']

test.each(KINDS)(
  '%s: what one of the command line, Node and a page encrypts, each decrypts',
  async (kind) => {
    const reader: Reader = { kind, ...(kind !== 'passphrase' && keysOf(kind as 'x25519')) }
    let readings = 0
    for (const [i, suite] of suitesOf(kind).entries()) {
      for (const armour of [false, true]) {
        const data = pattern([0, 50_000, 300_000][(i + readings) % 3] as number)
        for (const [writer, { encrypt }] of Object.entries(PARTIES)) {
          const file = await encrypt(data, reader, { suite, armour })
          expect(node.inspectSync(file)).toMatchObject({ suite, armoured: armour, stanzas: [{ kind }] })
          for (const [name, { decrypt }] of Object.entries(PARTIES)) {
            const opened = await decrypt(file, reader)
            expect(Buffer.compare(opened, data), `${writer}, then ${name}`).toBe(0)
            readings += 1
          }
        }
      }
    }
    expect(readings).toBe(suitesOf(kind).length * 18)
  },
  300_000,
)

function suitesOf(kind: string): readonly How['suite'][] {
  if (kind === 'sm2') return ['sm4-gcm']
  // Argon2 takes as long for each suite.
  if (kind === 'passphrase') return ['aes-256-gcm']
  return kind === 'key' ? SUITES : SUITES.slice(0, 2)
}

function keysOf(kind: 'x25519'): Pick<Reader, 'identity' | 'recipient'> {
  const identity = node.generateIdentity(kind)
  const secret = { identity: node.exportIdentity(identity) }
  return (kind as string) === 'key'
    ? secret
    : { ...secret, recipient: node.exportRecipient(node.recipientOf(identity)) }
}
