import type { Bytes, BytesLike } from 'sealstone'
import type { PrivateKey, PublicKey, SignOptions } from 'sealstone/sign'
import {
  type Content,
  type PurposeOptions,
  type Signers,
  type SigningOptions,
  sign,
  type Verified,
  verify,
} from 'sealstone/signature'
import { Task, type TaskState } from './task.js'

/** The result of {@link useSignature}. `data` shows a verified result. If verification failed, `data` is empty, and `error` says why. */
export interface UseSignature extends TaskState<Bytes | string | true | Verified> {
  /** As `signAsync` of a key of `sealstone/sign`. */
  sign(data: BytesLike, key: PrivateKey, options?: SignOptions): Promise<Bytes | undefined>
  /** Whether the signature is of this data and by this key. It is `false` for any fault; `error` says more. */
  verify(data: BytesLike, signature: Bytes, key: PublicKey, options?: SignOptions): Promise<boolean>
  /** Makes the signature file of content, such as a `File`: as `sign` of `sealstone/signature`. */
  signFile(content: Content, key: PrivateKey, options?: SigningOptions): Promise<string | undefined>
  /** Verifies content by its signature file, and says who signed it: as `verify` of `sealstone/signature`. */
  verifyFile(
    content: Content,
    signature: BytesLike,
    signers: Signers,
    options?: PurposeOptions,
  ): Promise<Verified | undefined>
}

/**
 * Signs and verifies, and shows the progress. Running work ends with the component.
 *
 * @example
 * ```ts
 * import { generateKey } from 'sealstone/sign'
 * import { useSignature } from 'sealstone/vue'
 *
 * const key = generateKey('ed25519')
 * const { code, sign, verify } = useSignature()
 * const signature = (await sign('attack at dawn', key)) ?? new Uint8Array()
 * console.log(await verify('attack at dawn', signature, key.publicKey)) // true
 * console.log(await verify('attack at noon', signature, key.publicKey), code.value) // false invalid_signature
 * ```
 */
export function useSignature(): UseSignature {
  const task = new Task<Bytes | string | true | Verified>()
  return {
    ...task.state,
    sign: (data, key, options = {}) => task.run((run) => key.signAsync(data, { ...options, ...run })),
    verify: async (data, signature, key, options = {}) => {
      const isVerified = await task.run(async (run) => {
        await key.verifyAsync(data, signature, { ...options, ...run })
        return true as const
      })
      return isVerified === true
    },
    signFile: (content, key, options = {}) => task.run((run) => sign(content, key, { ...options, ...run })),
    verifyFile: (content, signature, signers, options = {}) =>
      task.run((run) => verify(content, signature, signers, { ...options, ...run })),
  }
}
