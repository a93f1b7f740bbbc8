// Every function that gives bytes is among those whose results are looked at, and those that take names of files.

import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createProgram,
  ModuleKind,
  ScriptTarget,
  SymbolFlags,
  type TypeChecker,
  type Symbol as TypeSymbol,
} from 'typescript'
import { afterAll, expect, test } from 'vitest'
import { hashFile } from '../src/api/hash.js'
import * as sealstone from '../src/api/index.js'
import { mac } from '../src/api/mac.js'
import * as rsa from '../src/api/rsa.js'
import { by, CALLS, type Call, decrypter, encrypter, expectOwnMemory, expectTransferable, to } from './results.js'

const folder = mkdtempSync(join(tmpdir(), 'sealstone-results-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = join(folder, 'file')
const written = (data: Uint8Array): string => {
  writeFileSync(file, data)
  return file
}

const OF_FILES: Record<string, Call> = {
  'sealstone decryptRangeFile': (data) =>
    sealstone.decryptRangeFile(written(sealstone.encryptSync(data, to)), 0, 2 ** 20, by),
  'sealstone/age Decrypter.decryptRangeFile': async (data) =>
    decrypter.decryptRangeFile(written(await encrypter.encrypt(data)), 0, 2 ** 20),
  'sealstone/hash hashFile': (data) => hashFile('sha256', written(data)),
  'sealstone/mac MacKey.signFile': (data) => mac('hmac-sha256', 'key').signFile(written(data)),
}

const key = rsa.importPrivateKeySync(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const { publicKey } = key
const short = (data: Uint8Array): Uint8Array => data.subarray(0, 32)

const OF_RSA: Record<string, Call> = {
  'sealstone/rsa PublicKey.encrypt': (data) => publicKey.encrypt(short(data)),
  'sealstone/rsa PublicKey.encryptAsync': (data) => publicKey.encryptAsync(short(data)),
  'sealstone/rsa PrivateKey.decrypt': (data) => key.decrypt(publicKey.encrypt(short(data))),
  'sealstone/rsa PrivateKey.decryptAsync': (data) => key.decryptAsync(publicKey.encrypt(short(data))),
  'sealstone/rsa legacy.encryptPkcs1': (data) => rsa.legacy.encryptPkcs1(publicKey, short(data)),
  'sealstone/rsa legacy.encryptPkcs1Async': (data) => rsa.legacy.encryptPkcs1Async(publicKey, short(data)),
  'sealstone/rsa legacy.decryptPkcs1': (data) =>
    rsa.legacy.decryptPkcs1(key, rsa.legacy.encryptPkcs1(publicKey, short(data))),
  'sealstone/rsa legacy.decryptPkcs1Async': (data) =>
    rsa.legacy.decryptPkcs1Async(key, rsa.legacy.encryptPkcs1(publicKey, short(data))),
  'sealstone/rsa exportPrivateKey': () => rsa.exportPrivateKey(key, 'der'),
  'sealstone/rsa exportPublicKey': () => rsa.exportPublicKey(publicKey, 'der'),
}

/** These give the part of the caller's memory that they filled. */
const CALLERS_MEMORY = ['sealstone encryptIntoSync', 'sealstone decryptIntoSync']

/** Their results are parts of one buffer, as their documentation says. */
const SHARED_MEMORY = ['sealstone/aead AeadKey.sealBatch', 'sealstone/aead AeadKey.openBatch']

const ENTRIES = {
  sealstone: 'api/index',
  'sealstone/aead': 'api/aead',
  'sealstone/age': 'api/age/index',
  'sealstone/exchange': 'api/exchange',
  'sealstone/hash': 'api/hash',
  'sealstone/hazmat': 'api/hazmat',
  'sealstone/kdf': 'api/kdf',
  'sealstone/mac': 'api/mac',
  'sealstone/rsa': 'api/rsa',
  'sealstone/sign': 'api/sign',
  'sealstone/compat/yuants': 'extras/yuants',
  'sealstone/fise': 'extras/fise/index',
}

test('every function of the package that gives bytes is called here', () => {
  const paths = Object.values(ENTRIES).map((name) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url)))
  const program = createProgram(paths, {
    module: ModuleKind.NodeNext,
    target: ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  })
  const checker = program.getTypeChecker()
  const found = Object.keys(ENTRIES).flatMap((entry, i) => {
    const source = program.getSourceFile(paths[i] as string)
    const module = checker.getSymbolAtLocation(source as never) as TypeSymbol
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const original = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      return givingBytes(checker, original).map((name) => `${entry} ${name}`)
    })
  })
  expect([...new Set(found)].sort()).toEqual(
    [...Object.keys({ ...CALLS, ...OF_FILES, ...OF_RSA }), ...CALLERS_MEMORY, ...SHARED_MEMORY].sort(),
  )
})

/** The names that give bytes: a function, and the methods of a class or of an object. */
function givingBytes(checker: TypeChecker, symbol: TypeSymbol): string[] {
  const gives = (of: TypeSymbol): boolean =>
    checker
      .getTypeOfSymbol(of)
      .getCallSignatures()
      .some((one) => /Uint8Array|Bytes|TransformPair|FiseFrame\b/.test(checker.typeToString(one.getReturnType())))
  if (symbol.flags & SymbolFlags.Function) return gives(symbol) ? [symbol.name] : []
  const isValue = symbol.flags & (SymbolFlags.Variable | SymbolFlags.Class)
  if (!isValue) return []
  const type =
    symbol.flags & SymbolFlags.Class ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol)
  // What is internal is not in the package's types.
  const isInternal = (of: TypeSymbol): boolean => of.getJsDocTags().some(({ name }) => name === 'internal')
  const methods = type.getProperties().filter((of) => !of.name.startsWith('#') && !isInternal(of))
  return methods.flatMap((method) => (gives(method) ? [`${symbol.name}.${method.name}`] : []))
}

test('what is read of a file by its name is the reader’s alone, and what RSA makes', async () => {
  for (const calls of [OF_FILES, OF_RSA]) {
    await expectOwnMemory(calls)
    await expectTransferable(calls)
  }
})
