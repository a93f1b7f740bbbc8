import type { DecryptOptions, EncryptOptions } from 'sealstone'
import { type App, hasInjectionContext, type InjectionKey, inject, type Plugin, type ShallowRef, shallowRef } from 'vue'

/** Public keys, any one of which decrypts: recipients, or their text forms. */
export type Recipients = NonNullable<EncryptOptions['recipients']>
/** Identities, or their text forms, tried in this order. */
export type Identities = NonNullable<DecryptOptions['identities']>

/** What an application encrypts to and decrypts with where a call says nothing else. */
export interface SealstoneDefaults {
  readonly recipients?: Recipients
  readonly identities?: Identities
}

/** A plugin of Vue. What it has can be replaced at any time, such as the identities when somebody logs in and out. */
export interface Sealstone {
  readonly recipients: ShallowRef<Recipients | undefined>
  readonly identities: ShallowRef<Identities | undefined>
  install(app: App): void
}

/** One for all copies of this file. */
const KEY: InjectionKey<Sealstone> = /* @__PURE__ */ Symbol.for('sealstone.vue')

/**
 * Makes a plugin, which provides defaults for {@link useEncryption} and {@link useFileEncryption} in all components of an application.
 *
 * @example
 * ```ts
 * import { generateIdentity, recipientOf } from 'sealstone'
 * import { createSealstone } from 'sealstone/vue'
 * import { createSSRApp } from 'vue'
 *
 * const identity = generateIdentity()
 * const sealstone = createSealstone({ recipients: recipientOf(identity) })
 * createSSRApp({}).use(sealstone)
 * sealstone.identities.value = identity
 * ```
 */
export function createSealstone(defaults: SealstoneDefaults = {}): Sealstone & Plugin {
  const sealstone: Sealstone = {
    recipients: shallowRef(defaults.recipients),
    identities: shallowRef(defaults.identities),
    install(app) {
      app.provide(KEY, sealstone)
    },
  }
  return sealstone
}

/**
 * The plugin of the application whose component is set up.
 *
 * @throws an `Error` where there is none.
 *
 * @example
 * ```ts
 * import { createSealstone, useSealstone } from 'sealstone/vue'
 * import { createSSRApp } from 'vue'
 *
 * const app = createSSRApp({}).use(createSealstone({ recipients: 'age1…' }))
 * console.log(app.runWithContext(() => useSealstone().recipients.value)) // age1…
 * ```
 */
export function useSealstone(): Sealstone {
  const sealstone = provided()
  if (sealstone !== undefined) return sealstone
  throw new Error('there is no sealstone in this app: call app.use(createSealstone()), and this function in setup')
}

/** The plugin, where there is one. */
export function provided(): Sealstone | undefined {
  return hasInjectionContext() ? inject(KEY, undefined) : undefined
}
