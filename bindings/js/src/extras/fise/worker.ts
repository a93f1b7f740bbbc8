// The program of a worker for frames. It gets one end of a channel, and answers the questions that come through it, in their order.

import { threads } from '#threads'
import type { Bytes } from '../../basics/bytes.js'
import { failureOf } from '../../basics/error.js'
import { FiseError } from './error.js'
import { FiseProfile } from './profiled.js'

/** An envelope to be made or read. */
export interface Question {
  readonly encodes: boolean
  /** As JSON. */
  readonly profile: string
  readonly timestamp: number
  /** The plaintext or the envelope, in memory that goes back with the answer. */
  readonly bytes: Bytes
  /** Bytes to be left free before the envelope. */
  readonly free: number
}

/** The result, or the error. */
export interface Answer {
  readonly bytes?: Bytes
  /** The memory of the question. */
  readonly memory?: ArrayBuffer
  readonly code?: string
  readonly message?: string
}

const NONE = new Uint8Array()

/** The profiles of the streams that come here: as many as one stream can have. */
const PROFILES_MAX = 255
const profiles = new Map<string, FiseProfile>()

function profileOf(json: string): FiseProfile {
  let profile = profiles.get(json)
  if (profile === undefined) {
    if (profiles.size === PROFILES_MAX) profiles.clear()
    profile = FiseProfile.parse(json)
    profiles.set(json, profile)
  }
  return profile
}

function answerTo({ encodes, profile, timestamp, bytes, free }: Question): Answer {
  const memory = bytes.buffer
  try {
    const rules = profileOf(profile)
    const made = encodes ? rules.encodeParts([bytes], free, timestamp) : rules.decode(bytes, { timestamp })
    return { bytes: made, memory }
  } catch (error) {
    const message = String(failureOf(error).message ?? error)
    return error instanceof FiseError ? { code: error.code, message, memory } : { message, memory }
  }
}

function serve(port: MessagePort): void {
  port.onmessage = ({ data }) => {
    const answer = answerTo(data as Question)
    const memory = [answer.bytes?.buffer, answer.memory].filter((one) => one !== undefined)
    port.postMessage(answer, memory)
  }
  port.postMessage({ bytes: NONE } satisfies Answer)
}

const parent = threads()?.parentPort
if (parent) parent.once('message', serve)
else addEventListener('message', ({ data }) => serve(data as MessagePort), { once: true })
