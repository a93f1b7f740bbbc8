// Keys in all forms, of which the module of forms has those that are no strings.

import type {
  BaseCalls,
  BaseNativeCalls,
  BasePromises,
  BaseWasmCalls,
  FormsWasmCalls,
  Handle,
  Later,
  Out,
} from '../calls.js'
import { Book, type JobTurns } from './books.js'
import { type Derive, derived } from './derivations.js'
import { deriveOf, type Parts } from './hosting.js'
import * as host from './intrinsics.js'
import { familyOf } from './module.js'
import { normalized, normalOf } from './passphrases.js'
import { BASE, FORMS } from './signatures.js'
import { type InSteps, known, stepper } from './stretching.js'
import type { Work } from './work.js'

const Forms = familyOf<FormsWasmCalls>(FORMS)

export class Keys
  extends familyOf<BaseCalls & BaseWasmCalls>(BASE)
  implements BaseNativeCalls, Pick<BasePromises, 'identitiesParseLater'>
{
  protected readonly work: Work
  readonly #forms: FormsWasmCalls
  readonly #derive: Derive | undefined
  readonly #inSteps: InSteps

  constructor({ sourceOf, work, hosting }: Parts) {
    const source = sourceOf('base')
    super(source)
    this.work = work
    this.#forms = new Forms(sourceOf('forms'))
    this.#derive = deriveOf(hosting)
    this.#inSteps = stepper(source, BASE, 'stretchingStep', 'stretchingKey')
  }

  override identityOfPassphrase(text: Uint8Array): Handle {
    return normalized(text, (text) => super.identityOfPassphrase(text as Uint8Array))
  }

  identitiesParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle[] {
    return normalized(passphrase, (text) => {
      const { keys, opened } = this.identitiesRead(file, text)
      if (keys !== null) return keys
      const read = (): Out => this.#forms.identitiesOfForm(file, opened, text, undefined)
      const bytes = opened === undefined ? read() : crossing(opened, read)
      return crossing(bytes, (keys) => this.identitiesOfBytes(keys))
    })
  }

  identitiesParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle[]> {
    return this.work.onCopies(file, passphrase, (own, secret) =>
      secret === undefined ? this.identitiesParse(own, secret) : this.#identitiesOf(own, secret, new Book().turns()),
    )
  }

  identityExport(identity: Handle, form: string, passphrase: Uint8Array | undefined): string | Out {
    return normalized(passphrase, (text) => {
      const own = this.identityString(identity, form, text)
      if (own !== null) return own
      return crossing(this.identityBytes(identity), (key) => this.#forms.identityInForm(key, form, text))
    })
  }

  recipientsParse(file: Uint8Array): Handle[] {
    return this.recipientsRead(file).keys ?? this.recipientsOfBytes(this.#forms.recipientsOfForm(file))
  }

  recipientExport(recipient: Handle, form: string): string | Out {
    return this.recipientString(recipient, form) ?? this.#forms.recipientInForm(this.recipientBytes(recipient), form)
  }

  /** Lets an encryptor, a decryptor or a rewrapper know the keys of its passphrases, for a file that begins so. */
  protected readonly know = (holder: Handle, file: Uint8Array, turns: JobTurns): Promise<void> =>
    known({
      asked: () => this.stretchAsked(holder, file),
      derive: (asked) => this.#inSteps('stretching', [asked], turns),
      know: (asked, key) => this.stretchKnown(holder, asked, key),
    })

  /** Reads identities of a sealed or encrypted file, with keys that are derived of the passphrase in turns, or by a host. */
  async #identitiesOf(file: Uint8Array, passphrase: Uint8Array, turns: JobTurns): Promise<Handle[]> {
    const text = normalOf(passphrase)
    let decryptor: Handle | undefined
    let opened: Out | undefined
    let keys: Out | undefined
    try {
      const identity = super.identityOfPassphrase(text)
      decryptor = this.decryptor([identity], undefined, undefined, undefined)
      this.release(identity)
      await this.know(decryptor, file, turns)
      const read = this.identitiesReadBy(decryptor, file)
      if (read.keys !== null) return read.keys
      opened = read.opened
      if (this.#derive !== undefined)
        keys = await derived(this.#forms.derivationsOfForm(file, opened), text, this.#derive)
      const bytes = this.#forms.identitiesOfForm(file, opened, text, keys)
      return crossing(bytes, (keys) => this.identitiesOfBytes(keys))
    } finally {
      if (decryptor !== undefined) this.release(decryptor)
      if (text !== passphrase) host.fill(text, 0)
      if (opened !== undefined) host.fill(opened, 0)
      if (keys !== undefined) host.fill(keys, 0)
    }
  }
}

/** Works on a secret that is on its way, and zeroes it. */
function crossing<T>(secret: Out, work: (secret: Out) => T): T {
  try {
    return work(secret)
  } finally {
    host.fill(secret, 0)
  }
}
