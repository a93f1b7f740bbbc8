import type { AgeFiles } from './age.js'
import type { Later } from './bulk.js'
import type { SignatureFiles } from './signature.js'
import type { Handle, Inspection, Out } from './sync.js'

/** How many bytes an operation on a file has processed. */
export interface Processed {
  /** Of plaintext. */
  readonly plaintext: number
  /** Of the whole file, without armour. */
  readonly ciphertext: number
}

/** What works on files by name, which only Node has; always a promise. */
export interface FileCalls extends AgeFiles, SignatureFiles {
  encryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
    /** Whether the encryptor writes armour. */
    armour: boolean,
  ): Later<Processed>
  decryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  verifyFile(decryptor: Handle, input: Uint8Array, special: boolean, job: Handle): Later<Processed>
  rewrapFile(rewrapper: Handle, file: Uint8Array, splitLinks: boolean, job: Handle): Later<Processed>
  decryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>
  inspectFile(file: Uint8Array, special: boolean, job: Handle): Later<Inspection>
  /** A length of 0 is the algorithm's own. */
  hashFile(algorithm: number, file: Uint8Array, special: boolean, length: number, job: Handle): Later<Out>
  macFile(key: Handle, file: Uint8Array, special: boolean, job: Handle): Later<Out>
}
