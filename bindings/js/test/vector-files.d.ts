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

/** Those of signature files and of allowed signers. */
declare module '#signatures' {
  export const vectors: Record<'signature' | 'allowed', Record<string, string>>
}

/** Those of key pairs for applications: keys that sign, of RSA with implicit rejection, and X-Wing; and an RSA key of PKCS#1, in base64. */
declare module '#pairs' {
  type Strings = Readonly<Record<string, string | undefined>>
  export const pairs: {
    readonly signing: readonly Strings[]
    readonly rejection: readonly Strings[]
    readonly xwing: readonly Strings[]
    readonly rsa: string
  }
}

/** Those of Project Wycheproof with signatures. Bytes are in hexadecimal digits. */
declare module '#wycheproof-sign' {
  export const wycheproof: Record<string, { readonly testGroups: readonly Group[] }>
  interface Group {
    readonly publicKey: { readonly uncompressed: string; readonly pk: string } & string
    readonly publicKeyAsn: string
    readonly privateSeed: string
    readonly tests: readonly {
      readonly tcId: number
      readonly result: 'valid' | 'acceptable' | 'invalid'
      readonly msg?: string
      readonly ctx?: string
      readonly sig: string
    }[]
  }
}

/** C2SP's kit for age, and keys of SSH by the names of their files. */
declare module '#age' {
  export const kit: readonly {
    readonly name: string
    readonly expect: string
    /** The digest, in hex, of released bytes. */
    readonly payload: string | null
    readonly identities: readonly string[]
    readonly passphrases: readonly string[]
    readonly armored: boolean
    readonly compressed: 'zlib' | null
    readonly file: string
  }[]
  export const ssh: Record<string, string>
}

/** Those of key agreement and encapsulation. */
declare module '#wycheproof-exchange' {
  export const wycheproof: Record<string, { readonly testGroups: readonly { readonly tests: readonly Test[] }[] }>
  interface Test {
    readonly tcId: number
    readonly result: 'valid' | 'acceptable' | 'invalid'
    readonly flags: readonly string[]
    readonly public: string
    readonly private: string
    readonly shared: string
    readonly seed: string
    readonly ek: string
    readonly c: string
    readonly K: string
  }
}

/** Those of RSA encryption. */
declare module '#wycheproof-rsa' {
  export const wycheproof: Record<string, { readonly testGroups: readonly Group[] }>
  interface Group {
    readonly keySize: number
    readonly sha: string
    readonly mgfSha: string
    readonly privateKeyPkcs8: string
    readonly tests: readonly {
      readonly tcId: number
      readonly result: 'valid' | 'acceptable' | 'invalid'
      readonly msg: string
      readonly ct: string
      readonly label: string
    }[]
  }
}

/** The variables that vitest gives tests, in Node and in pages. Vitest replaces this text, with nothing between. */
interface ImportMeta {
  readonly env?: Record<string, string | undefined>
}

/** The vectors of FISE, likewise. */
declare module '#fise' {
  import type { FiseProfileData } from '../src/extras/fise/index.js'
  export const envelopes: {
    name: string
    form: 'text' | 'bytes'
    profile: FiseProfileData
    timestamp: number
    plaintext?: string
    envelope: string
    error?: string
  }[]
  export const streams: {
    name: string
    rules: FiseProfileData[]
    timestamp: number
    stream: string
    frames?: { metadata: string; content: string }[]
    error?: string
  }[]
}
