// Compression, which @ldesign/crypto announces. Its data could not be decompressed again, so these functions refuse.

import { unsupported } from './errors.js'

const INSTEAD = 'use CompressionStream, and compress before you encrypt only what no attacker has a part in'

/** @throws {@link CryptoError}, always. */
export function compress(_data: string): never {
  throw unsupported('compression', INSTEAD)
}

/** @throws {@link CryptoError}, always. */
export function decompress(_data: string): never {
  throw unsupported('compression', INSTEAD)
}

/** As {@link compress} and {@link decompress}. */
export class DataCompressor {
  static compress = compress
  static decompress = decompress
}
