// Files of age.

import type { AgeCalls, AgePromises, AgeWasmCalls, Handle, Later, Out, Part } from '../calls.js'
import { EMPTY } from './host-crypto.js'
import type { Parts } from './hosting.js'
import * as host from './intrinsics.js'
import { familyOf } from './module.js'
import { normalized } from './passphrases.js'
import { AGE } from './signatures.js'
import { type InSteps, known, stepper } from './stretching.js'
import { later, promisePart, type Work } from './work.js'

export class Age extends familyOf<AgeCalls & AgeWasmCalls>(AGE) implements AgePromises {
  readonly #work: Work
  readonly #inSteps: InSteps

  constructor({ sourceOf, work }: Parts) {
    const source = sourceOf('age')
    super(source)
    this.#work = work
    this.#inSteps = stepper(source, AGE, 'ageStretchingStep', 'ageStretchingKey')
  }

  override ageIdentity(text: Uint8Array, passphrase: Uint8Array | undefined): Handle {
    return normalized(passphrase, (secret) => super.ageIdentity(text, secret))
  }

  override ageIdentityOfPassphrase(text: Uint8Array): Handle {
    return normalized(text, (text) => super.ageIdentityOfPassphrase(text as Uint8Array))
  }

  override ageRecipientOfPassphrase(text: Uint8Array, logN: number): Handle {
    return normalized(text, (text) => super.ageRecipientOfPassphrase(text as Uint8Array, logN))
  }

  ageFileKeyLater(decryptor: Handle, header: Uint8Array, job: Handle): Later<Out> {
    return this.#knowing(decryptor, header, job, (own) => this.ageFileKey(decryptor, own))
  }

  ageSealerLater(encryptor: Handle, job: Handle): Later<Handle> {
    return this.#knowing(encryptor, EMPTY, job, () => this.ageSealer(encryptor))
  }

  ageSealerUnit(sealer: Handle): Later<Part> | null {
    return promisePart(this.ageSealerUnitNow(sealer))
  }

  ageSealerFinish(sealer: Handle): Later<Part> {
    return later(() => this.ageSealerFinishNow(sealer))
  }

  ageOpenerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle> {
    return this.#knowing(decryptor, head, job, (own) => this.ageOpener(decryptor, own))
  }

  ageOpenerUnit(opener: Handle): Later<Part> | null {
    return promisePart(this.ageOpenerUnitNow(opener))
  }

  ageOpenerFinish(opener: Handle, isEnd: boolean): Later<Part> {
    return later(() => this.ageOpenerFinishNow(opener, isEnd))
  }

  /** Works with an object that knows the keys of its passphrases, for a file that begins so. */
  #knowing<T>(holder: Handle, head: Uint8Array, job: Handle, work: (head: Uint8Array) => T): Later<T> {
    const own = new host.Bytes(head)
    return this.#work.asJob(job, async (turns) => {
      await known({
        asked: () => this.ageAsked(holder, own),
        derive: (asked) => this.#inSteps('ageStretching', [asked], turns),
        know: (asked, key) => this.ageKnow(holder, asked, key),
      })
      return work(own)
    })
  }
}
