/**
 * FISE is obfuscation without a key, not encryption: whoever has an envelope can open it. To keep something secret use
 * `encrypt` or `sealMessage` of `sealstone`.
 *
 * These are the envelopes of FISE 0.1.5, byte for byte, for systems that already use them. They hide a payload from a glance in
 * the developer tools, and from nothing else. The salt that the text is mixed with stands in the envelope, next to a marker that
 * says how long it is; the rules say where the marker is, and a few hundred tries find that out. Nothing here reliably detects a
 * changed envelope either.
 *
 * This entry needs no native code, and works in browsers as it does in Node.
 *
 * @module sealstone/fise
 */

export { fiseBinaryDecrypt, fiseBinaryEncrypt } from './binary.js'
export { FiseBuilder, type FiseBuilderInstance } from './builder.js'
export { type FiseBinaryCipher, type FiseCipher, xorBinaryCipher, xorCipher } from './cipher.js'
export { FiseError, type FiseErrorCode } from './error.js'
export { FiseFrames, type FrameSource } from './frame-access.js'
export {
  type FrameChunks,
  type FrameDecoderOptions,
  type FrameEncoderOptions,
  type FrameRules,
  type FrameStream,
  fiseFrameDecoder,
  fiseFrameEncoder,
  fiseFrameReader,
} from './frame-streams.js'
export type { FiseFrame } from './frames.js'
export type { DecryptOptions, EncryptOptions } from './layout.js'
export type { FisePlace, FiseProfileData } from './profile.js'
export {
  type FiseAssurance,
  type FiseValidateOptions,
  type FiseValidation,
  validateProfile,
} from './profile-validation.js'
export { FiseProfile, type ProfileOptions } from './profiled.js'
export { defaultBinaryRules, defaultRules, type FiseContext, type FiseRules } from './rules.js'
export { randomSalt, randomSaltBinary } from './salt.js'
export { fiseDecrypt, fiseEncrypt } from './text.js'
export { type RulesProblem, type RulesReport, type ValidateOptions, validateRules } from './validation.js'
export { FiseWorkers, type FiseWorkersOptions, startFiseWorkers } from './workers.js'
