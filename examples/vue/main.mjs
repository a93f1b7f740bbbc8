// Keys, files and notes in Vue, without a bundler. With one, `setup` is the script of a component, and what is returned its template.

import { createApp, h, ref, shallowRef, watch } from 'vue'
import { createSealstone, useEncryption, useFileEncryption, useHash, useKeys, useSealstone } from 'sealstone/vue'
import { saveAs } from 'sealstone/web'

/** Whether this page has made the keys and nobody has saved the secret one, and the card in which its user was told so. */
const isUnsaved = ref(false)
const warnedIn = shallowRef()

/** Whether to seal for the application's keys: not before its user was told that they will be gone with the page. */
function maySeal(card) {
  if (!isUnsaved.value || warnedIn.value) return true
  warnedIn.value = card
  return false
}

function warning(card) {
  const words = 'Save the secret key first: without it nobody can open what is sealed. To go on without it, press again.'
  return warnedIn.value === card && h('p', { role: 'alert' }, words)
}

// Without it nobody opens what was sealed for these keys.
addEventListener('beforeunload', (event) => {
  if (isUnsaved.value) event.preventDefault()
})

/** The keys of who uses this page: they are the application's. */
const Keys = {
  setup() {
    const { recipients, identities } = useSealstone()
    const { error, exportIdentity, fingerprint, generate, identity, importIdentity, isBusy, publicKey, recipient } = useKeys()
    watch(identity, (mine) => {
      identities.value = mine
      recipients.value = recipient.value
    })
    const changed = (isMade) => {
      isUnsaved.value = isMade
      warnedIn.value = undefined
    }
    const make = async () => (await generate()) && changed(true)
    const keep = async () => {
      const mine = identity.value
      const secret = await exportIdentity()
      // Who closes the browser's question has saved nothing.
      const isSaved = await saveAs(`${secret}\n`, 'identity.txt').then(
        () => true,
        () => false,
      )
      if (isSaved && mine === identity.value) changed(false)
    }
    const read = async ({ target }) => {
      const lines = (await target.files[0].text()).split('\n')
      if (await importIdentity(lines.find((line) => /^AGE-/.test(line)) ?? '')) changed(false)
    }
    return () =>
      card('Your keys', [
        h('div', { class: 'row' }, [
          h('button', { onClick: make, disabled: isBusy.value }, 'Make a pair of keys'),
          picker('Choose a key file', read),
          identity.value && h('button', { onClick: keep }, 'Save the secret key'),
        ]),
        publicKey.value && [
          h('label', { for: 'public' }, 'Public key, for whoever is to send you something'),
          h('textarea', { id: 'public', rows: 3, readonly: true, value: publicKey.value }),
          h('p', { class: 'faint' }, fingerprint.value),
        ],
        isUnsaved.value && h('p', 'The secret key opens what is sealed for these keys. This page forgets it: save it before you seal.'),
        failure(error),
      ])
  },
}

/** A file of any length, for the application's keys. */
const Files = {
  setup() {
    const { recipients } = useSealstone()
    const { cancel, code, decryptTo, encryptTo, error, fraction, isBusy, progress } = useFileEncryption()
    const { data: digest, hash, isBusy: isHashing } = useHash({ algorithm: 'blake3' })
    const file = shallowRef()
    const said = ref('')
    const pick = ({ target }) => {
      file.value = target.files[0]
      said.value = ''
      hash(file.value)
    }
    const isSealed = () => file.value?.name.endsWith('.seal')
    const run = async () => {
      if (!isSealed() && !maySeal(Files)) return
      const { name } = file.value
      const to = isSealed() ? name.replace(/\.seal$/, '') : `${name}.seal`
      said.value = ''
      // The sink is called at once, so that the browser knows of which click it is.
      const isDone = await (isSealed() ? decryptTo : encryptTo)(file.value, (stream) => saveAs(stream, to))
      if (isDone) said.value = `Saved as ${to}.`
      else if (!error.value) said.value = 'Stopped.'
    }
    return () =>
      card('A file', [
        picker(file.value?.name ?? 'Choose a file', pick),
        file.value && h('p', { class: 'faint' }, isHashing.value ? 'BLAKE3 …' : `BLAKE3 ${digest.value}`),
        h('div', { class: 'row' }, [
          h(
            'button',
            { class: 'main', onClick: run, disabled: isBusy.value || !file.value || !recipients.value },
            isSealed() ? 'Decrypt and save' : 'Encrypt and save',
          ),
          isBusy.value && h('progress', { value: fraction.value, 'aria-label': 'Progress' }),
          isBusy.value && h('span', `${Math.round((progress.value?.rate ?? 0) / 1e6)} MB a second`),
          isBusy.value && h('button', { onClick: cancel }, 'Stop'),
        ]),
        h('p', { role: 'status' }, said.value),
        warning(Files),
        failure(error, code),
      ])
  },
}

/** A text for the application's keys, as text. */
const Note = {
  setup() {
    const { recipients } = useSealstone()
    const { code, decryptText, encrypt, error } = useEncryption()
    const text = ref('')
    const copied = ref('Copy')
    const seal = async () => {
      if (!maySeal(Note)) return
      const file = await encrypt(text.value, { recipients: recipients.value, armour: true })
      if (file) text.value = new TextDecoder().decode(file)
    }
    const open = async () => {
      const opened = await decryptText(text.value)
      if (opened !== undefined) text.value = opened
    }
    const copy = () =>
      navigator.clipboard.writeText(text.value).then(
        () => (copied.value = 'Copied'),
        () => (copied.value = 'Select the text to copy it'),
      )
    watch(text, () => {
      copied.value = 'Copy'
    })
    return () =>
      card('A note', [
        h('textarea', {
          rows: 6,
          'aria-label': 'The note',
          placeholder: 'Something to say, or something sealed',
          value: text.value,
          onInput: ({ target }) => {
            text.value = target.value
          },
        }),
        h('div', { class: 'row' }, [
          h('button', { onClick: seal, disabled: !recipients.value }, 'Seal'),
          h('button', { onClick: open, disabled: !recipients.value }, 'Open'),
          text.value.startsWith('-----BEGIN') && h('button', { onClick: copy }, copied.value),
        ]),
        warning(Note),
        failure(error, code),
      ])
  },
}

function card(title, inner) {
  return h('section', [h('h2', title), inner])
}

function picker(text, onChange) {
  return h('label', { class: 'button' }, [text, h('input', { type: 'file', onChange })])
}

/** What went wrong, for people. Codes never change; messages contain no secrets. */
function failure(error, code) {
  const words = {
    no_matching_identity: 'Your key does not open this.',
    not_sealstone: 'This was not sealed with Sealstone.',
    not_authentic: 'This was changed or damaged. Nothing was saved.',
    truncated: 'The end is missing. Nothing was saved.',
  }
  return error.value && h('p', { role: 'alert' }, words[code?.value] ?? error.value.message)
}

createApp(() => [
  h('header', [h('h1', 'Seal a file'), h('p', 'Everything happens on this device. This page sends nothing.')]),
  h(Keys),
  h(Files),
  h(Note),
])
  .use(createSealstone())
  .mount('#app')
