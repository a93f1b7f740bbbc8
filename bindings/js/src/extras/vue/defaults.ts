import type { DecryptOptions, EncryptOptions } from 'sealstone'
import { type App, hasInjectionContext, type InjectionKey, inject, type Plugin, type ShallowRef, shallowRef } from 'vue'

/** Public keys: recipients, or their text forms. The secret key of any one of them decrypts. */
export type Recipients = NonNullable<EncryptOptions['recipients']>
/** Identities, or their text forms, tried in this order. */
export type Identities = NonNullable<DecryptOptions['identities']>

/** The keys that an application uses if a call names none. */
export interface SealstoneDefaults {
  readonly recipients?: Recipients
  readonly identities?: Identities
}

/** A Vue plugin. You can replace its keys at any time, such as the identities when a user logs in or out. */
export interface Sealstone {
  readonly recipients: ShallowRef<Recipients | undefined>
  readonly identities: ShallowRef<Identities | undefined>
  install(app: App): void
}

/** One key for all copies of this file. */
const KEY: InjectionKey<Sealstone> = /* @__PURE__ */ Symbol.for('sealstone.vue')

/**
 * Makes a plugin that provides default keys for {@link useEncryption} and {@link useFileEncryption} in all components of an application.
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
 * The plugin of the application to which the current component belongs.
 *
 * @throws an `Error` if the application has none.
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

/** The plugin, if there is one. */
export function provided(): Sealstone | undefined {
  return hasInjectionContext() ? inject(KEY, undefined) : undefined
}
