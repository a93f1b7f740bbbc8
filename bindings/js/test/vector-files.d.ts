/** Those of Project Wycheproof, by their names: `hmac_sha256`. */
declare module '#wycheproof' {
  export const wycheproof: Record<string, { readonly testGroups: readonly WycheproofGroup[] }>
  interface WycheproofGroup {
    readonly keySize: number
    readonly ivSize: number
    readonly tagSize: number
    readonly tests: readonly WycheproofTest[]
  }
  /** Bytes are in hexadecimal digits. */
  interface WycheproofTest {
    readonly tcId: number
    readonly result: 'valid' | 'acceptable' | 'invalid'
    readonly key: string
    readonly iv: string
    readonly aad: string
    readonly ct: string
    readonly msg: string
    readonly tag: string
    readonly ikm: string
    readonly salt: string
    readonly info: string
    readonly size: number
    readonly okm: string
    readonly password: string
    readonly iterationCount: number
    readonly dkLen: number
    readonly dk: string
  }
}

/** The vectors: `vectors.ts` beside `vitest.config.ts` makes them of the files. */
declare module '#vectors' {
  export const vectors: Record<'file' | 'keys', Record<string, string>>
}
