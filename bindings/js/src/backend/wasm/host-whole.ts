// Whole files in memory whose chunks a host seals and opens at once.

import type { Handle, Out, Part } from '../calls.js'
import { rangeOf } from './chunks.js'
import { headOf, isArmoured } from './heads.js'
import type { Files } from './hosting.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import { type BaseModule, inPieces } from './module.js'
import { Pieces } from './pieces.js'

/** The files of a host, from a length on; shorter ones are the module's. */
export class WholeFiles {
  readonly #base: BaseModule
  readonly #files: Files
  readonly #from: number

  constructor(base: BaseModule, files: Files, from: number) {
    this.#base = base
    this.#files = files
    this.#from = from
  }

  /** Whether data is the module's. */
  isShort(data: Uint8Array): boolean {
    return host.arrayLength(data) < this.#from
  }

  /** Ends a number with work that writes to memory, which is zero if that fails. */
  #ending(handle: Handle, result: Uint8Array, work: () => void): void {
    try {
      work()
    } catch (error) {
      host.fill(result, 0)
      throw error
    } finally {
      this.#base.release(handle)
    }
  }

  /** Seals into memory, by the host or in the module. */
  sealInto(sealer: Handle, plaintext: Uint8Array, file: Uint8Array, inModule: () => void): void {
    const base = this.#base
    const length = host.arrayLength(plaintext)
    this.#ending(sealer, file, () => {
      const chunks = length < this.#from ? undefined : this.#files.sealing(sealer)
      // The core says what is wrong with the memory.
      if (chunks === undefined || base.sealerFileLen(sealer, length) !== host.arrayLength(file)) {
        inModule()
        return
      }
      const head = base.sealerHead(sealer)
      host.copyInto(file, head)
      chunks.take(plaintext, true, file as Out, host.arrayLength(head))
    })
  }

  /** Opens into memory, likewise. */
  openInto(opener: Handle, file: Uint8Array, plaintext: Uint8Array, inModule: () => void): void {
    const base = this.#base
    const length = host.arrayLength(file)
    this.#ending(opener, plaintext, () => {
      const chunks = length < this.#from ? undefined : this.#files.opening(opener)
      if (chunks === undefined || base.openerPlaintextLen(opener, length) !== host.arrayLength(plaintext)) {
        inModule()
        return
      }
      const headLen = base.openerHeadLen(opener)
      chunks.take(host.partOf(file, headLen, length - headLen), true, plaintext as Out, 0)
    })
  }

  /** A whole file, in memory of its own. It ends the sealer's number, as the others those of theirs. */
  sealed(sealer: Handle, plaintext: Uint8Array): Out {
    try {
      const file = memoryOf(this.#base.sealerFileLen(sealer, host.arrayLength(plaintext)))
      this.#base.sealInto(sealer, plaintext, file, undefined)
      return file
    } finally {
      this.#base.release(sealer)
    }
  }

  opened(opener: Handle, file: Uint8Array): Out {
    try {
      const plaintext = memoryOf(this.#base.openerPlaintextLen(opener, host.arrayLength(file)))
      this.#base.openInto(opener, file, plaintext, undefined)
      return plaintext
    } finally {
      this.#base.release(opener)
    }
  }

  encrypted(encryptor: Handle, plaintext: Uint8Array): Out {
    const base = this.#base
    try {
      const file = this.sealed(base.sealerOf(encryptor), plaintext)
      return base.encryptorArmours(encryptor) ? this.#armoured(file) : file
    } finally {
      base.release(encryptor)
    }
  }

  decrypted(decryptor: Handle, file: Uint8Array): Out {
    const base = this.#base
    try {
      const binary = this.#binary(file)
      return this.opened(base.openerOf(decryptor, headOf(base, binary)), binary)
    } finally {
      base.release(decryptor)
    }
  }

  /** Decrypts a part of a file; in the module, if the host does not open it. */
  range(decryptor: Handle, file: Uint8Array, start: number, end: number, inModule: (file: Uint8Array) => Out): Out {
    const base = this.#base
    const binary = this.#binary(file)
    const opener = base.openerOf(decryptor, headOf(base, binary))
    try {
      return this.#openedRange(opener, binary, start, end) ?? inModule(binary)
    } finally {
      base.release(opener)
    }
  }

  /** A part of a plaintext, where the host opens it. */
  #openedRange(opener: Handle, file: Uint8Array, start: number, end: number): Out | undefined {
    const base = this.#base
    const fileLen = host.arrayLength(file)
    const length = base.openerPlaintextLen(opener, fileLen)
    const chunks = { headLen: base.openerHeadLen(opener), chunkLen: base.chunkLen(), fileLen, length }
    // Core looks at a range beyond the end.
    const range = end > length ? undefined : rangeOf(chunks, start, end)
    const opening = range && this.#files.openingFrom(opener, range.first, range.length)
    if (range === undefined || opening === undefined) return undefined
    const plaintext = memoryOf(range.length)
    opening.take(host.partOf(file, range.from, range.to - range.from), range.isEnd, plaintext, 0)
    const part = new host.Bytes(host.partOf(plaintext, range.at, range.partLen))
    host.fill(plaintext, 0)
    return part
  }

  #armoured(file: Uint8Array): Out {
    const base = this.#base
    const armour = base.armour()
    const update = (piece: Uint8Array): Part => ({ bytes: base.armourUpdate(armour, piece) })
    return this.#recoded(armour, file, update, () => ({ bytes: base.armourFinish(armour) }))
  }

  #binary(file: Uint8Array): Uint8Array {
    const base = this.#base
    if (!isArmoured(base, file)) return file
    const dearmour = base.dearmour(false)
    const update = (piece: Uint8Array): Part => base.dearmourUpdate(dearmour, piece)
    return this.#recoded(dearmour, file, update, () => base.dearmourFinish(dearmour))
  }

  /** A text of which the module makes a file, or the other way round, in pieces. */
  #recoded(coder: Handle, data: Uint8Array, update: (piece: Uint8Array) => Part, end: () => Part): Out {
    const pieces = new Pieces()
    try {
      inPieces(data, (piece) => pieces.add(update(piece)))
      pieces.add(end())
      return pieces.whole()
    } finally {
      this.#base.release(coder)
    }
  }
}
