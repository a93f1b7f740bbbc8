// Encrypts and decrypts a file in the browser. With a bundler, import from 'sealstone' and 'sealstone/web'.

import {
  decrypt,
  encrypt,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  recipientOf,
  SealstoneError,
} from './sealstone/dist/browser/index.mjs'
import { filesOf, saveAs } from './sealstone/dist/web.mjs'

const element = (id) => document.getElementById(id)
const form = element('form')

/** The file, and what runs: only one thing at a time. */
let file
let work
/** The pair that this page has made. Nobody else has its secret key until that is saved. */
let made
let isWarned

function choose(chosen) {
  file = chosen
  element('name').textContent = file.name
  element('size').textContent = sizeOf(file.size)
  // The input has it already, unless it was dropped.
  element('file').required = false
  if (file.name.endsWith('.seal')) form.elements.task.value = 'decrypt'
  show()
}

/** Shows the fields for what is chosen; those that are not shown are not asked for. */
function show() {
  const [task, by] = [form.elements.task.value, form.elements.with.value]
  Object.assign(form.dataset, { task, with: by })
  element('recipient').disabled = task !== 'encrypt' || by !== 'key'
  element('identity').disabled = task !== 'decrypt' || by !== 'key'
  element('passphrase').disabled = by !== 'passphrase'
  element('start').textContent = task === 'encrypt' ? 'Encrypt and save' : 'Decrypt and save'
}

form.addEventListener('change', show)
element('file').addEventListener('change', ({ target }) => target.files.length > 0 && choose(target.files[0]))

const drop = element('drop')
for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  drop.addEventListener(type, (event) => {
    event.preventDefault()
    drop.classList.toggle('over', type === 'dragenter' || type === 'dragover')
  })
}
drop.addEventListener('drop', async ({ dataTransfer }) => {
  for await (const { file } of filesOf(dataTransfer)) return choose(file)
})

element('make').addEventListener('click', () => {
  const identity = generateIdentity()
  element('recipient').value = exportRecipient(recipientOf(identity))
  element('identity').value = exportIdentity(identity)
  element('made').hidden = false
  made = { publicKey: element('recipient').value, identity: element('identity').value }
  isWarned = false
})
element('keep').addEventListener('click', async () => {
  const { identity } = made
  try {
    await saveAs(`${identity}\n`, 'identity.txt')
    if (made.identity === identity) made.isSaved = true
    say('The secret key is saved.')
  } catch (error) {
    say(error.name === 'AbortError' ? 'The secret key was not saved.' : wordsOf(error), true)
  }
})
// Without it nobody opens what was encrypted for the pair.
addEventListener('beforeunload', (event) => {
  if (made && !made.isSaved) event.preventDefault()
})
element('identity-file').addEventListener('change', async ({ target }) => {
  element('identity').value = (await target.files[0].text()).split('\n').find((line) => /^AGE-/.test(line)) ?? ''
})

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isForUnsaved() && !isWarned) {
    isWarned = true
    return say('Save the secret key first: without it nobody can open the file. To go on without it, encrypt again.', true)
  }
  work = new AbortController()
  const { signal } = work
  busy(true)
  try {
    say(`Saved as ${await run(signal)}.`)
  } catch (error) {
    say(signal.aborted || error.name === 'AbortError' ? 'Stopped; nothing was saved.' : wordsOf(error), true)
  } finally {
    busy(false)
  }
})
element('stop').addEventListener('click', () => work.abort())

/** Whether it encrypts for the pair that this page has made, and that will be gone with it. */
function isForUnsaved() {
  const isEncryption = form.dataset.task === 'encrypt' && form.dataset.with === 'key'
  return isEncryption && made && !made.isSaved && element('recipient').value.includes(made.publicKey)
}

/** Saves the file, encrypted or decrypted, and returns its name. Before `saveAs` nothing is awaited: it may ask the user. */
async function run(signal) {
  const isEncryption = form.dataset.task === 'encrypt'
  const key = isEncryption
    ? { recipients: element('recipient').value.trim().split(/\s+/) }
    : { identities: element('identity').value.trim() }
  const how = form.dataset.with === 'key' ? key : { passphrase: element('passphrase').value }
  const options = { ...how, onProgress }
  const stream = isEncryption ? encrypt(file, options) : decrypt(file, options)
  const name = isEncryption ? `${file.name}.seal` : file.name.replace(/\.seal$/, '') || 'file'
  const handle = await saveAs(stream, name, { signal })
  return handle?.name ?? name
}

function onProgress({ bytes, rate }) {
  element('progress').value = bytes / file.size
  say(`${sizeOf(bytes)} of ${sizeOf(file.size)}, ${sizeOf(rate)} a second`)
}

function busy(isBusy) {
  element('start').disabled = isBusy
  element('work').hidden = !isBusy
  element('progress').value = 0
}

function say(text, isFailure = false) {
  element('status').textContent = text
  element('status').classList.toggle('failed', isFailure)
}

/** What went wrong, for people. Codes never change; messages contain no secrets. */
function wordsOf(error) {
  if (!(error instanceof SealstoneError)) return String(error)
  const words = {
    no_matching_identity: 'This key or passphrase does not open the file.',
    not_sealstone: 'This file was not encrypted with Sealstone.',
    not_authentic: 'The file was changed or damaged. Nothing was saved.',
    truncated: 'The end of the file is missing. Nothing was saved.',
    invalid_recipient: 'This is not a public key.',
    invalid_identity: 'This is not a secret key.',
  }
  return words[error.code] ?? `${error.message} (${error.code})`
}

function sizeOf(bytes) {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 4)
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

show()
