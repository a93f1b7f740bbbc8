// Calls that are promised: all is done on the caller's thread, in turns of the event loop, but for the chunks and buffers that a host
// promises.

import { SealstoneError } from '../../basics/error.js'
import type { BulkCalls, Out } from '../calls.js'
import { Book, type Books } from './books.js'
import { SHA } from './derivations.js'
import { FileWork } from './file-work.js'
import { EMPTY, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import type { Hosting } from './hosting.js'
import { type Compat, headOf, isArmoured } from './index.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import { known } from './stretching.js'
import { copyOf, later, Work } from './work.js'

/** The calls over the modules and what other software uses. */
export function bulkOf(hosting: Hosting, compat: Compat, books: Books): BulkCalls {
  const work = new Work(books)
  return {
    ...hosting.base.promises(work),
    ...keyCalls(hosting, work),
    ...fileCalls(hosting, work),
    ...bufferCalls(hosting, work),
    ...messageCalls(hosting, work),
    ...passwordCalls(hosting, work),
    ...compatCalls(compat, work),
  }
}

function keyCalls({ base, derive }: Hosting, work: Work): Pick<BulkCalls, 'identitiesParseLater'> {
  return {
    identitiesParseLater: (file, passphrase) =>
      work.onCopies(file, passphrase, (own, secret) => {
        if (secret === undefined) return base.identitiesParse(own, secret)
        return base.identitiesParseLater(derive, own, secret, new Book().turns())
      }),
  }
}

type FileNames =
  | 'sealerLater'
  | 'sealerUnit'
  | 'sealerFinish'
  | 'sealPart'
  | 'openerLater'
  | 'openerUnit'
  | 'openerFinish'
  | 'openPart'
  | 'decryptLoaded'
  | 'encryptArmouredLoaded'
  | 'decryptRangeLoaded'
  | 'rewrapLoaded'
  | 'encryptBatch'
  | 'decryptBatch'

function fileCalls(hosting: Hosting, work: Work): Pick<BulkCalls, FileNames> {
  const { base } = hosting
  const files = new FileWork(hosting)
  return {
    sealerLater: (encryptor, job) =>
      work.asJob(job, async (turns) => {
        await known(base, encryptor, EMPTY, turns)
        return base.sealerOf(encryptor)
      }),
    sealerUnit: (sealer) => files.sealerUnit(sealer),
    sealerFinish: (sealer) => later(() => files.sealerFinish(sealer)),
    sealPart: (sealer, part, file) => later(() => files.sealPart(sealer, part, file)),
    openerLater(decryptor, head, job) {
      const own = new host.Bytes(head)
      return work.asJob(job, async (turns) => {
        await known(base, decryptor, own, turns)
        return base.openerOf(decryptor, own)
      })
    },
    openerUnit: (opener) => files.openerUnit(opener),
    openerFinish: (opener, isEnd) => later(() => files.openerFinish(opener, isEnd)),
    openPart: (opener, part, plaintext) => later(() => files.openPart(opener, part, plaintext)),
    decryptLoaded: (decryptor, loading, job) =>
      work.withLoaded(loading, job, (file, turns) => files.decrypted(decryptor, file, turns)),
    encryptArmouredLoaded: (encryptor, loading, job) =>
      work.withLoaded(loading, job, (data, turns) => files.encrypted(encryptor, data, turns)),
    decryptRangeLoaded: (decryptor, loading, start, end, job) =>
      work.withLoaded(loading, job, (file, turns) => files.decryptedRange(decryptor, file, start, end, turns)),
    rewrapLoaded: (rewrapper, loading, job) =>
      work.withLoaded(loading, job, async (file, turns) => {
        await known(base, rewrapper, isArmoured(base, file) ? file : headOf(base, file), turns)
        return base.rewrap(rewrapper, file)
      }),
    encryptBatch: (encryptor, data, lengths, job) =>
      later(() => {
        base.encryptorCheck(encryptor)
        return work.batch(data, lengths, job, (item, turns) => files.encrypted(encryptor, item, turns))
      }),
    decryptBatch: (decryptor, data, lengths, job) =>
      later(() => work.batch(data, lengths, job, (item, turns) => files.decrypted(decryptor, item, turns))),
  }
}

function bufferCalls({ base, promised }: Hosting, work: Work): Pick<BulkCalls, 'aeadSealLoaded' | 'aeadOpenLoaded'> {
  return {
    aeadSealLoaded: (key, nonce, aad, loading, job) =>
      work.withLoaded(loading, job, async (loaded, _turns, book) => {
        const promise = promised?.seal(key, nonce, aad, loaded)
        if (promise !== undefined) {
          book.count(host.arrayLength(loaded) - (nonce === undefined ? NONCE_LEN : 0))
          return promise
        }
        const sealed = new host.Bytes(host.arrayLength(loaded) + TAG_LEN)
        book.count(base.aeadSealPlaced(key, nonce, aad, loaded, sealed))
        return sealed
      }),
    aeadOpenLoaded: (key, nonce, aad, loading, job) =>
      work.withLoaded(loading, job, async (sealed, _turns, book) => {
        const open = (plaintext: Out): number => base.aeadOpen(key, nonce, aad, sealed, plaintext)
        const plaintext = (await promised?.open(key, nonce, aad, sealed)) ?? openedInto(host.arrayLength(sealed), open)
        book.count(host.arrayLength(plaintext) + TAG_LEN)
        return plaintext
      }),
  }
}

type MessageNames =
  | 'messageSealPlaced'
  | 'messageOpenPlaced'
  | 'messageSealArmouredLoaded'
  | 'messageOpenArmouredLoaded'

function messageCalls({ base, messages }: Hosting, work: Work): Pick<BulkCalls, MessageNames> {
  return {
    messageSealPlaced: (recipient, aad, message) =>
      later(() => {
        const promise = messages?.seal(recipient, aad, message)
        if (promise !== undefined) return promise
        const growth = base.messageLen(recipient, 0)
        const plaintext = host.partOf(message, growth - TAG_LEN, host.arrayLength(message) - growth)
        base.messageSealInto(recipient, plaintext, aad, message)
        return undefined
      }),
    messageOpenPlaced: (identity, head, aad, text, tag) =>
      later(() => {
        const promise = messages?.open(identity, head, aad, text, tag)
        if (promise !== undefined) return promise
        const [headLen, textLen] = [host.arrayLength(head), host.arrayLength(text)]
        const message = memoryOf(headLen + textLen + TAG_LEN)
        host.copyInto(message, head)
        host.copyInto(message, text, headLen)
        host.copyInto(message, tag, headLen + textLen)
        base.messageOpenInto(identity, message, aad, text)
        return undefined
      }),
    messageSealArmouredLoaded: (recipient, loading, aad, job) =>
      work.withLoaded(loading, job, (plaintext) => base.messageSealArmoured(recipient, plaintext, aad)),
    messageOpenArmouredLoaded: (identity, loading, aad, job) =>
      work.withLoaded(loading, job, (message) => base.messageOpenArmoured(identity, message, aad)),
  }
}

type PasswordNames = 'deriveLater' | 'passwordHashLater' | 'passwordVerifyLater'

function passwordCalls(hosting: Hosting, work: Work): Pick<BulkCalls, PasswordNames> {
  const { base } = hosting
  return {
    deriveLater(name, a, b, c, password, salt, secret, data, isBounded, length, job) {
      const own = [copyOf(password), copyOf(salt), copyOf(secret), copyOf(data)] as const
      const args = [name, a, b, c, own[0], own[1], own[2], own[3], isBounded, length]
      return work.inTurn(job, own, async (turns) => {
        const key = await derivedByHost(hosting, name, a, own[0], own[1], isBounded, length)
        return key ?? base.inSteps('deriving', args, turns)
      })
    },
    passwordHashLater(password, name, a, b, c, job) {
      const own = copyOf(password)
      return work.inTurn(job, [own], async (turns) =>
        host.decode(await base.inSteps('derivingHash', [own, name, a, b, c], turns)),
      )
    },
    passwordVerifyLater(password, stored, isBounded, job) {
      const own = copyOf(password)
      return work.inTurn(job, [own], async (turns) => {
        await base.inSteps('derivingCheck', [own, stored, isBounded], turns)
        return undefined
      })
    },
  }
}

/** A key of PBKDF2, where the host derives it; of a password that has bytes, since not every host takes one that has none. */
async function derivedByHost(
  { base, derive }: Hosting,
  name: string,
  iterations: number,
  password: Uint8Array,
  salt: Uint8Array,
  isBounded: boolean,
  length: number,
): Promise<Out | undefined> {
  const hash = SHA[name]
  if (derive === undefined || hash === undefined || length === 0 || host.arrayLength(password) === 0) return undefined
  base.deriveCheck(name, iterations, 0, 0, isBounded, length)
  const key = await derive(password, { hash, salt, iterations, length })
  if (key instanceof SealstoneError) throw key
  return key
}

type CompatNames = 'yuantsSealLoaded' | 'yuantsOpenLoaded' | 'yuantsHmacLoaded'

function compatCalls(compat: Compat, work: Work): Pick<BulkCalls, CompatNames> {
  return {
    yuantsSealLoaded: (format, key, loading) =>
      work.withLoaded(loading, undefined, (loaded) => {
        const [length, headLen] = [host.arrayLength(loaded), compat.yuantsHeadLen(format)]
        const sealed = new host.Bytes(length + compat.yuantsTailLen(format))
        compat.yuantsSeal(format, key, host.partOf(loaded, headLen, length - headLen), sealed)
        return sealed
      }),
    yuantsOpenLoaded: (format, key, loading) =>
      work.withLoaded(loading, undefined, (sealed) =>
        openedInto(host.arrayLength(sealed) - compat.yuantsHeadLenOf(format, sealed), (plaintext) =>
          compat.yuantsOpen(format, key, sealed, plaintext),
        ),
      ),
    yuantsHmacLoaded: (hash, key, loading) =>
      work.withLoaded(loading, undefined, (data) => compat.yuantsHmac(hash, key, data)),
  }
}

/** Opens into memory of that length, which may be longer than the plaintext. */
function openedInto(length: number, open: (plaintext: Out) => number): Out {
  const plaintext = new host.Bytes(length)
  const kept = open(plaintext)
  if (kept === length) return plaintext
  const result = new host.Bytes(host.partOf(plaintext, 0, kept))
  host.fill(plaintext, 0)
  return result
}
