/** The vectors: `vectors.ts` beside `vitest.config.ts` makes them of the files. */
declare module '#vectors' {
  export const vectors: Record<'file' | 'keys', Record<string, string>>
}

/** Tests of Wycheproof, as `vectors.ts` finds them: bytes are hexadecimal digits. */
declare module '#wycheproof' {
  interface Test {
    readonly tcId: number
    readonly key: string
    readonly iv: string
    readonly aad: string
    readonly msg: string
    readonly ct: string
    readonly tag: string
    readonly result: 'valid' | 'invalid' | 'acceptable'
  }
  interface File {
    readonly testGroups: readonly {
      readonly keySize: number
      readonly ivSize: number
      readonly tagSize: number
      readonly tests: readonly Test[]
    }[]
  }
  export const aes_cbc_pkcs5: File
  export const aes_ccm: File
  export const aes_gcm_siv: File
  export const aes_kwp: File
  export const aes_wrap: File
}
