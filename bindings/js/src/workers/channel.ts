// A channel between this realm and a worker. Its messages are secret: no other code has its ends, and this module uses the engine's
// functions as they were when it was loaded.

import { type Method, method } from '../backend/wasm/intrinsics.js'

// Not every runtime has these classes. `startWorkers` asks for the platform's workers first.
const realm = globalThis as unknown as { [name: string]: { prototype: object } | undefined }
export const OwnWorker = realm.Worker as unknown as typeof Worker | undefined
const Channel = realm.MessageChannel as unknown as typeof MessageChannel

function accessor(of: string, name: string): PropertyDescriptor | undefined {
  const owner = realm[of]
  return owner && Object.getOwnPropertyDescriptor(owner.prototype, name)
}

function function_<T, A extends unknown[], R>(
  of: string,
  name: string,
  kind: 'value' | 'get' | 'set',
): Method<T, A, R> {
  return method((accessor(of, name)?.[kind] ?? (() => undefined)) as (this: T, ...args: A) => R)
}

const firstPort = function_<MessageChannel, [], MessagePort>('MessageChannel', 'port1', 'get')
const secondPort = function_<MessageChannel, [], MessagePort>('MessageChannel', 'port2', 'get')
const send = function_<MessagePort, [message: unknown, transfer: Iterable<object>], void>(
  'MessagePort',
  'postMessage',
  'value',
)
const hear = function_<MessagePort, [(event: MessageEvent) => void], void>('MessagePort', 'onmessage', 'set')
const closePort = function_<MessagePort, [], void>('MessagePort', 'close', 'value')
const dataOf = function_<MessageEvent, [], unknown>('MessageEvent', 'data', 'get')
const listen = function_<EventTarget, [type: string, listener: (event: Event) => void], void>(
  'EventTarget',
  'addEventListener',
  'value',
)
const sendToWorker = function_<Worker, [message: unknown, transfer: Iterable<object>], void>(
  'Worker',
  'postMessage',
  'value',
)
const terminate = function_<Worker, [], void>('Worker', 'terminate', 'value')

export interface Heard {
  message(data: unknown): void
  /** The worker has failed. */
  end(cause: unknown): void
}

/** A worker, and the channel to it. */
export class Line {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #other: MessagePort

  constructor(worker: Worker, heard: Heard) {
    const channel = new Channel()
    this.#worker = worker
    this.#port = firstPort(channel)
    this.#other = secondPort(channel)
    hear(this.#port, (event) => heard.message(dataOf(event)))
    listen(this.#port, 'messageerror', heard.end)
    listen(worker, 'error', heard.end)
    listen(worker, 'messageerror', heard.end)
  }

  /** Starts the worker, and gives it its end of the channel. */
  begin(protocol: string, module: WebAssembly.Module): void {
    sendToWorker(this.#worker, [protocol, this.#other, module], only(this.#other))
  }

  post(message: readonly unknown[], memory: ArrayBuffer): void {
    send(this.#port, message, only(memory))
  }

  close(): void {
    closePort(this.#port)
    terminate(this.#worker)
  }
}

/** The list of transferred objects. It is no array, because other code of the page may have replaced the iterator of arrays. */
function only(object: object): Iterable<object> {
  let isRead = false
  const iterator = {
    __proto__: null,
    next() {
      const result = { __proto__: null, done: isRead, value: isRead ? undefined : object }
      isRead = true
      return result as unknown as IteratorResult<object>
    },
  }
  return { __proto__: null, [Symbol.iterator]: () => iterator } as unknown as Iterable<object>
}
