import { hasSignatures, Instance } from './instance.js'
import { AGE, BASE, CIPHER, COMPAT, DIGEST, EXCHANGE, FORMS, RSA, SIGN, type Signatures } from './signatures.js'

/** The kinds of modules. */
export type ModuleKind = 'age' | 'base' | 'cipher' | 'compat' | 'digest' | 'exchange' | 'forms' | 'sign'

/** The kinds of a module of this version of the package; a module of other versions has none. */
export function kindsOf(module: WebAssembly.Module): readonly ModuleKind[] {
  let signatures: string
  try {
    signatures = new Instance(module).signatures()
  } catch {
    return []
  }
  // Here, so that what never asks has no tables of what it never calls.
  const tables: { readonly [kind in ModuleKind]: Signatures } = {
    age: AGE,
    base: BASE,
    cipher: CIPHER,
    compat: COMPAT,
    digest: DIGEST,
    exchange: { ...EXCHANGE, ...RSA },
    forms: FORMS,
    sign: SIGN,
  }
  return (Object.keys(tables) as ModuleKind[]).filter((kind) => hasSignatures(signatures, tables[kind]))
}
