import { call } from '../work/cipher-calls.js'
import { asked } from './text.js'

/** The number by which an encoding crosses to the module of ciphers. */
export const cipherEncodingOf = /* @__PURE__ */ asked((name) => call((sync) => sync.cipherEncodingId(name)))
