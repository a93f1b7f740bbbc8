// Files of age.

import { SealstoneError } from '../../basics/error.js'
import type { AgePromises, Handle, Later, Part } from '../calls.js'
import { Held, type Of, type Source } from './held.js'
import { EMPTY } from './host-crypto.js'
import * as host from './intrinsics.js'
import { normalized } from './passphrases.js'
import { AGE } from './signatures.js'
import { known, stepper } from './stretching.js'
import type { Jobs } from './work.js'

export type AgeFiles = Of<typeof AGE> & { promises(jobs: Jobs): AgePromises }

export function ageFilesOf(source: Source): AgeFiles {
  const functions = new Held(source, AGE).functions() as unknown as {
    -readonly [Name in keyof AgeFiles]: AgeFiles[Name]
  }
  const { ageIdentity, ageIdentityOfPassphrase, ageRecipientOfPassphrase } = functions
  functions.ageIdentity = (text, passphrase) => normalized(passphrase, (secret) => ageIdentity(text, secret))
  functions.ageIdentityOfPassphrase = (text) => normalized(text, (text) => ageIdentityOfPassphrase(text as Uint8Array))
  functions.ageRecipientOfPassphrase = (text, logN) =>
    normalized(text, (text) => ageRecipientOfPassphrase(text as Uint8Array, logN))
  const stretching = stepper(source, AGE, 'ageStretchingStep', 'ageStretchingKey')
  const stretches: Parameters<typeof known>[0] = {
    stretchAsked: functions.ageAsked,
    stretchKnown: functions.ageKnow,
    stretch: (asked, turns) => stretching('ageStretching', [asked], turns),
  }
  functions.promises = (jobs) => {
    /** Works with what knows what its passphrases come to, for a file that begins so. */
    const knowing = <T>(of: Handle, head: Uint8Array, job: Handle, work: (head: Uint8Array) => T): Later<T> => {
      const own = new host.Bytes(head)
      return jobs.asJob(job, async (turns) => {
        await known(stretches, of, own, turns)
        return work(own)
      })
    }
    return {
      ageSealerLater: (encryptor, job) => knowing(encryptor, EMPTY, job, () => functions.ageSealer(encryptor)),
      ageOpenerLater: (decryptor, head, job) =>
        knowing(decryptor, head, job, (own) => functions.ageOpener(decryptor, own)),
      ageFileKeyLater: (decryptor, header, job) =>
        knowing(decryptor, header, job, (own) => functions.ageFileKey(decryptor, own)),
      ageSealerUnit: (sealer) => unit(functions.ageSealerUnit(sealer)),
      ageSealerFinish: (sealer) => ended(() => functions.ageSealerFinish(sealer)),
      ageOpenerUnit: (opener) => unit(functions.ageOpenerUnit(opener)),
      ageOpenerFinish: (opener, isEnd) => ended(() => functions.ageOpenerFinish(opener, isEnd)),
    }
  }
  return functions
}

function unit(part: Part | null): Later<Part> | null {
  return part === null ? null : Promise.resolve(part)
}

async function ended(work: () => Part): Later<Part> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    return { code: error.code, message: error.message }
  }
}
