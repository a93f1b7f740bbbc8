// The calls that a monitor counts. `make generate` writes them of the engine's functions.

/**
 * How the first argument of a call tells the algorithm: by its name, by the number of a hash function, or by an object that another call
 * made. Files, those of age, messages, signature files and stored passwords say it in their keys and texts, and RSA that encrypts has one
 * algorithm.
 */
export type Of = 'name' | 'hash' | 'object' | 'age' | 'file' | 'message' | 'signature' | 'password' | 'rsa'

/**
 * A call that is counted: the operation, how its algorithm is known, and which argument is its data; without one its result is. Of a file
 * that is read by its name, and of data that was loaded to be signed, the job knows how long it is, which is the last argument. Data that
 * was `taken` the calls of `TAKERS` took, and `none` is not counted.
 */
export type Row = readonly [operation: string, of: Of, data?: 1 | 2 | 3 | 'job' | 'none' | 'taken']

/** The calls that are counted. Calls that only prepare something are no operations. */
export const ROWS: { readonly [call: string]: Row } = {
  ageSealerUnit: ['encryptPart', 'age'],
  ageSealerFinish: ['encryptPart', 'age'],
  ageOpenerUnit: ['decryptPart', 'age'],
  ageOpenerFinish: ['decryptPart', 'age'],
  ageOpenerAt: ['decryptRange', 'age'],
  ageEncryptFile: ['encryptFile', 'age'],
  ageDecryptFile: ['decryptFile', 'age'],
  ageDecryptRangeFile: ['decryptRangeFile', 'age'],
  encryptFolder: ['encryptFolder', 'file'],
  listArchive: ['list', 'file', 'none'],
  extractArchive: ['extract', 'file', 'job'],
  chunkedEncrypt: ['encryptChunks', 'object', 2],
  chunkedDecrypt: ['decryptChunks', 'object', 2],
  encryptArmoured: ['encrypt', 'file', 1],
  decryptArmoured: ['decrypt', 'file', 1],
  decryptRange: ['decryptRange', 'file'],
  encryptArmouredLoaded: ['encrypt', 'file'],
  decryptLoaded: ['decrypt', 'file'],
  decryptRangeLoaded: ['decryptRange', 'file'],
  encryptBatch: ['encryptBatch', 'file', 1],
  decryptBatch: ['decryptBatch', 'file', 1],
  encryptFile: ['encryptFile', 'file'],
  decryptFile: ['decryptFile', 'file'],
  verifyFile: ['verifyFile', 'file'],
  decryptRangeFile: ['decryptRangeFile', 'file'],
  messageSealInto: ['sealMessage', 'message', 1],
  messageSealArmoured: ['sealMessage', 'message', 1],
  messageOpenInto: ['openMessage', 'message', 1],
  messageOpenArmoured: ['openMessage', 'message', 1],
  messageSealPlaced: ['sealMessage', 'message', 2],
  messageOpenPlaced: ['openMessage', 'message', 3],
  messageSealArmouredLoaded: ['sealMessage', 'message'],
  messageOpenArmouredLoaded: ['openMessage', 'message'],
  sealInto: ['encrypt', 'file', 1],
  sealerUnit: ['encryptPart', 'file'],
  sealerFinish: ['encryptPart', 'file'],
  sealPart: ['encryptPart', 'file', 1],
  openInto: ['decrypt', 'file', 1],
  openerUnit: ['decryptPart', 'file'],
  openerFinish: ['decryptPart', 'file'],
  openPart: ['decryptPart', 'file', 1],
  aeadSeal: ['seal', 'object', 3],
  aeadOpen: ['open', 'object', 3],
  aeadSealText: ['seal', 'object', 3],
  aeadOpenText: ['open', 'object', 3],
  aeadSealBatch: ['sealBatch', 'object', 2],
  aeadOpenBatch: ['openBatch', 'object', 2],
  aeadSealLoaded: ['seal', 'object'],
  aeadOpenLoaded: ['open', 'object'],
  cipherEncrypt: ['encryptBare', 'object', 2],
  cipherDecrypt: ['decryptBare', 'object', 2],
  cipherEncryptText: ['encryptBare', 'object', 2],
  cipherDecryptText: ['decryptBare', 'object', 2],
  legacyEncrypt: ['encryptBare', 'object', 2],
  legacyDecrypt: ['decryptBare', 'object', 2],
  legacyEncryptText: ['encryptBare', 'object', 2],
  legacyDecryptText: ['decryptBare', 'object', 2],
  keyWrapWrap: ['wrap', 'object', 1],
  keyWrapUnwrap: ['unwrap', 'object', 1],
  ccmSeal: ['seal', 'object', 3],
  ccmOpen: ['open', 'object', 3],
  hashInto: ['hash', 'hash', 1],
  hashText: ['hash', 'hash', 1],
  hashBatch: ['hashBatch', 'hash', 1],
  hashBatchText: ['hashBatch', 'hash', 1],
  hasherUpdate: ['hashUpdate', 'object', 1],
  hashFile: ['hashFile', 'hash', 'job'],
  hkdf: ['hkdf', 'name', 1],
  hkdfExtract: ['hkdfExtract', 'name', 2],
  hkdfExpand: ['hkdfExpand', 'name', 1],
  concatKdf: ['concatKdf', 'name', 1],
  derive: ['derive', 'name'],
  deriveLater: ['derive', 'name'],
  macInto: ['mac', 'object', 1],
  macText: ['mac', 'object', 1],
  macVerify: ['verifyMac', 'object', 1],
  macVerifyText: ['verifyMac', 'object', 1],
  macSignerUpdate: ['macUpdate', 'object', 1],
  macFile: ['macFile', 'object', 'job'],
  passwordHash: ['hashPassword', 'password'],
  passwordVerify: ['verifyPassword', 'password'],
  passwordHashLater: ['hashPassword', 'password'],
  passwordVerifyLater: ['verifyPassword', 'password'],
  exchangeAgree: ['agree', 'object'],
  exchangeSharedSecret: ['agree', 'object'],
  exchangeEncapsulate: ['encapsulate', 'object', 'none'],
  exchangeDecapsulate: ['decapsulate', 'object', 1],
  rsaEncrypt: ['encryptKey', 'rsa', 1],
  rsaEncryptLater: ['encryptKey', 'rsa', 1],
  rsaDecrypt: ['decryptKey', 'rsa', 1],
  rsaDecryptLater: ['decryptKey', 'rsa', 1],
  rsaEncryptPkcs1: ['encryptKey', 'rsa', 1],
  rsaEncryptPkcs1Later: ['encryptKey', 'rsa', 1],
  rsaDecryptPkcs1: ['decryptKey', 'rsa', 1],
  rsaDecryptPkcs1Later: ['decryptKey', 'rsa', 1],
  signInto: ['sign', 'object', 1],
  signVerify: ['verify', 'object', 1],
  signLoaded: ['sign', 'object', 'job'],
  signVerifyLoaded: ['verify', 'object', 'job'],
  signatureSigningFinish: ['sign', 'signature', 'taken'],
  signatureVerifyingFinish: ['verify', 'signature', 'taken'],
  signatureSignFile: ['signFile', 'signature', 'job'],
  signatureAttachFile: ['attachFile', 'signature', 'job'],
  signatureVerifyFile: ['verifyFile', 'signature', 'job'],
  signatureDetachFile: ['detachFile', 'signature', 'job'],
}

/** Calls that take the data of one that ends it, and is counted. */
export const TAKERS: { readonly [call: string]: readonly [operation: string, algorithm: string] } = {
  signatureSigningUpdate: ['sign', 'signature'],
  signatureVerifyingUpdate: ['verify', 'signature'],
}

/** Calls that make objects of an algorithm. */
export const MAKERS: { readonly [call: string]: Of } = {
  chunkedKey: 'name',
  aead: 'name',
  cipher: 'name',
  legacy: 'name',
  keyWrap: 'name',
  ccm: 'name',
  hasher: 'hash',
  hasherClone: 'object',
  mac: 'name',
  macSigner: 'object',
  again: 'object',
}

/** Calls that say of which kind a key is. */
export const KINDS: readonly string[] = [
  'exchangePrivateKind',
  'exchangePublicKind',
  'signPrivateKind',
  'signPublicKind',
]
