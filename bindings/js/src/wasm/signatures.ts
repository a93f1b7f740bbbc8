// What the modules have: of each export what it takes and what it answers, a letter each. The module says the same of itself, and
// instance.ts compares the two: a module of another version is refused.
//
// What is taken: h an object, H several; n a number, m one or nothing, q threads or nothing; l a boolean, p one or nothing; b bytes, c bytes or
// nothing; s bytes, or text as its UTF-8; t text, u text or nothing; o an output; i bytes that begin the output.
// What is answered: v nothing; h, H, n, l, b and t as above; u text or null; e text or bytes; w an object, and a length where there
// is one; r several objects, or what the module of forms reads; k two keys; j an Inspection; P a part of a stream; Q one, or null.

/** What each module has. */
export const OBJECTS = {
  again: 'h>h',
  release: 'h>v',
  heldCount: '>n',
} as const

/** Keys, files, messages, and algorithms for one buffer. */
export const BASE = {
  ...OBJECTS,
  backend: '>t',
  identityGenerate: 'u>h',
  identitiesRead: 'bc>r',
  identitiesReadBy: 'hb>r',
  identitiesOfBytes: 'b>H',
  identityOfPassphrase: 'b>h',
  identityOfKey: 'b>h',
  identityKind: 'h>t',
  identityIsSlow: 'h>l',
  identityRecipient: 'h>h',
  identityString: 'htc>u',
  identityBytes: 'h>b',
  recipientsRead: 'b>r',
  recipientsOfBytes: 'b>H',
  recipientKind: 'h>t',
  recipientFingerprint: 'h>u',
  recipientString: 'ht>u',
  recipientBytes: 'h>b',
  encryptor: 'Hucpupq>h',
  encryptorCheck: 'h>v',
  decryptor: 'Hcuq>h',
  rewrapper: 'HHppu>h',
  stretchAsked: 'hb>b',
  stretchKnown: 'hbb>v',
  stretching: 'b>h',
  stretchingStep: 'hn>l',
  stretchingKey: 'h>b',
  sealer: 'Hucpuqn>w',
  sealerLater: 'h>h',
  sealerFileLen: 'hn>n',
  sealInto: 'hboq>v',
  sealerHead: 'h>b',
  sealerFill: 'hb>n',
  sealerUnit: 'h>Q',
  sealerFinish: 'h>b',
  unitsMax: 'q>n',
  armour: '>h',
  armourUpdate: 'hb>b',
  armourFinish: 'h>b',
  dearmour: '>h',
  dearmourUpdate: 'hb>P',
  dearmourFinish: 'h>P',
  armourStartLen: '>n',
  fileStartLen: '>n',
  fileHeadLen: 'b>n',
  fileIsArmoured: 'b>l',
  opener: 'Hcuqbn>w',
  openerLater: 'hb>h',
  openerHeadLen: 'h>n',
  openerPlaintextLen: 'hn>n',
  openInto: 'hboq>v',
  openerFill: 'hb>n',
  openerUnit: 'h>Q',
  openerFinish: 'hl>P',
  chunkLen: '>n',
  sealerKey: 'ht>b',
  sealerNonces: 'hn>b',
  openerKey: 'ht>b',
  openerNonces: 'hnnl>b',
  notAuthentic: 'm>v',
  encryptorArmours: 'h>l',
  openerAt: 'hnb>b',
  encryptArmoured: 'hb>b',
  decryptArmoured: 'hb>b',
  decryptRange: 'hbnn>b',
  rewrap: 'hb>b',
  inspect: 'b>j',
  messageLen: 'hn>n',
  messageSealInto: 'hbbo>v',
  messageSealArmoured: 'hbb>t',
  messageIsArmoured: 'b>l',
  messageHeadLen: 'hbn>n',
  messageBegin: 'h>b',
  messageOpening: 'hb>b',
  messageOpenInto: 'hbbo>v',
  messageOpenArmoured: 'hbb>b',
  chunkedKey: 'tb>h',
  chunkedSealer: 'hb>h',
  chunkedOpener: 'hbb>h',
  chunkedHeadLen: '>n',
  chunkedEncrypt: 'hbb>b',
  chunkedDecrypt: 'hbb>b',
  aead: 'tb>h',
  aeadKeyLen: 't>n',
  aeadNonceLen: 't>n',
  aeadTagLen: '>n',
  aeadSeal: 'hccio>v',
  aeadSealLoaded: 'hcbio>n',
  aeadOpen: 'hccio>n',
  encodeText: 'tb>t',
  decodeText: 'tt>b',
} as const

/** Digests. */
export const DIGEST = {
  ...OBJECTS,
  hashId: 't>n',
  hashLen: 'n>n',
  encodingId: 't>n',
  hashInto: 'nso>v',
  hashText: 'nsnn>t',
  hashBatch: 'nbbo>v',
  hashBatchText: 'nbbn>t',
  hasher: 'n>h',
  hasherClone: 'h>h',
  hasherUpdate: 'hb>v',
  hasherDigest: 'hn>b',
  hasherText: 'hnn>t',
} as const

/** Forms of keys that are no strings: keys come and go as bytes. */
export const FORMS = {
  ...OBJECTS,
  derivationsOfForm: 'bc>b',
  identitiesOfForm: 'bccc>b',
  recipientsOfForm: 'b>b',
  identityInForm: 'btc>e',
  recipientInForm: 'bt>e',
} as const

/** Families that have a subpath of their own. */
export const TOOLBOX = {
  ...OBJECTS,
  cipher: 'tb>h',
  cipherKeyLen: 't>n',
  cipherPads: 'h>l',
  cipherEncrypt: 'hbipo>v',
  cipherDecrypt: 'hbipo>n',
  yuantsKeyPair: 'c>k',
  yuantsKeyPairOf: 't>k',
  yuantsX25519: '>k',
  yuantsSharedKey: 'tt>t',
  yuantsSign: 'bb>b',
  yuantsSignText: 'tb>t',
  yuantsVerify: 'tbtp>l',
  yuantsHeadLen: 't>n',
  yuantsTailLen: 't>n',
  yuantsHeadLenOf: 'tb>n',
  yuantsSeal: 'ttio>v',
  yuantsOpen: 'ttio>n',
  yuantsHmac: 'tbb>b',
  yuantsFnv: 'b>t',
} as const

/** Exports by their names in TypeScript. */
export type Signatures = { readonly [name: string]: string }

/** As the module has the name. */
export function exportName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
