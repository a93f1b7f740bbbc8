import type { Extracted, Listing } from '../backend/calls.js'
import { type Bytes, bytesOf, isBytesLike, utf8 } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { booleanOption, wholeNumber } from '../basics/option.js'
import { MEMBER_KINDS } from '../basics/table.js'
import { files } from '../work/call.js'
import { usingLater } from '../work/handle.js'
import { RUN_OPTIONS, type RunOptions, runOf, watched } from '../work/run.js'
import { checkOutput, type PathLike, pathOf, type WriteOptions } from './path.js'
import { type DecryptOptions, decryption, type EncryptOptions, encryption } from './recipe.js'

/** What an archive keeps. */
export interface ArchiveOptions {
  /**
   * Patterns of members that are left out, with all that is in such folders. `*` stands for any characters but `/`, `?` for one, `[a-z]` for
   * one of several, and `**` for any number of folders. A pattern without `/` is compared with the name of each member, any other with the
   * path from the archive's top. A `/` at its end limits it to folders.
   */
  readonly exclude?: string | readonly string[]
  /**
   * How the archive is compressed: `auto` (the default) where a sample shrinks, `none`, or at a level of Zstandard from 1 (fast) to 22
   * (small). The length of a compressed file tells about its content: where others can put text beside your secrets, take `none`.
   */
  readonly compression?: 'auto' | 'none' | number
  /** Whether to enter no folder that is on another file system than the folder that was named. */
  readonly oneFileSystem?: boolean
  /** Whether to keep users and groups. */
  readonly owners?: boolean
  /** Whether to keep the extended attributes `user.*`. */
  readonly attributes?: boolean
}

/** How the members of an archive are made. */
export interface ExtractOptions extends WriteOptions {
  /**
   * The paths of members: only these are made, and what is in such folders, without reading the rest. Then the folder may exist, each file
   * appears when all of it is authentic, and after an error those that were complete stay.
   */
  readonly paths?: readonly (string | Uint8Array)[]
  /** Whether members replace existing files and links. Folders are merged, and what is only in an existing folder stays. */
  readonly replace?: boolean
  /** Whether to make symbolic links that may lead out of the folder. A program that follows such a link works on files outside. */
  readonly outsideLinks?: boolean
  /** Whether to restore set-user-ID, set-group-ID and sticky bits. */
  readonly specialBits?: boolean
  /** Whether to restore users and groups, by their numbers. Only root can do that. */
  readonly owners?: boolean
  /** Whether to restore the extended attributes `user.*`. */
  readonly attributes?: boolean
}

/** An archive that was written. */
export interface Archived {
  /** Bytes of the archive. */
  readonly plaintext: number
  /** Bytes of the whole file, without armour. */
  readonly ciphertext: number
  /** The number of files, folders and links. */
  readonly members: number
  /** Bytes of all files. */
  readonly fileBytes: number
  /** The number of members that could not be read, or changed while they were read. **The archive lacks them, or parts of them.** */
  readonly leftOut: number
  /**
   * Why members are not in the archive, or not as they are; of more than 1,000 the first ones. Notes also name FIFOs, devices and sockets,
   * which no archive has and `leftOut` does not count.
   */
  readonly notes: readonly string[]
}

/** A member of an archive. */
export interface Entry {
  /** The path, with `/` between its components; where it is no UTF-8, with U+FFFD. */
  readonly path: string
  /** The bytes of the path. */
  readonly rawPath: Bytes
  readonly kind: MemberKind
  /** Bytes of a file, with its holes; otherwise 0. */
  readonly size: number
  /** Permissions, with set-user-ID, set-group-ID and sticky: 12 bits. */
  readonly mode: number
  /** The modification time, without what is below a millisecond. It is an invalid date where it is more than 270,000 years away. */
  readonly modified: Date
  /** The same in whole seconds since 1970; negative before. */
  readonly modifiedSeconds: number
  /** Its rest in nanoseconds. */
  readonly modifiedNanoseconds: number
  /** The target of a symbolic link, or the path of the member that a hard link names. */
  readonly link?: string
}

/** The kind of a member: a hard link is another name of a file that is before it in the archive. */
export type MemberKind = (typeof MEMBER_KINDS)[number]

const ARCHIVE: readonly (keyof (ArchiveOptions & WriteOptions & RunOptions))[] = [
  'exclude',
  'compression',
  'oneFileSystem',
  'owners',
  'attributes',
  'replace',
  ...RUN_OPTIONS,
]

const EXTRACT: readonly (keyof (ExtractOptions & RunOptions))[] = [
  'paths',
  'replace',
  'outsideLinks',
  'specialBits',
  'owners',
  'attributes',
  ...RUN_OPTIONS,
]

/**
 * Encrypts files and folders as one archive, which any `tar` reads once it is decrypted. It keeps names, modes, times, empty folders, links
 * and holes, and is compressed by default. The file appears complete or not at all.
 *
 * **A member that cannot be read is left out, and that is no error: look at `leftOut`.**
 *
 * The members of a folder `photos` have the paths `photos`, `photos/a.jpg` and so on, whatever folder `photos` is in. A path that ends with
 * `.` stands for the content of the folder, without a name of its own.
 *
 * It needs the native part of this package; without it, and in browsers, it is the error `unavailable_backend`.
 *
 * @throws {@link SealstoneError} `invalid_option`, `output_exists`, `io`, and what {@link encryptFile} throws.
 *
 * @example
 * ```ts
 * import { mkdir, writeFile } from 'node:fs/promises'
 * import { encryptFolder, extract, generateIdentity, list, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity()
 * await mkdir('photos', { recursive: true })
 * await writeFile('photos/a.jpg', 'a photo')
 * const { leftOut, notes } = await encryptFolder('photos', 'photos.tar.seal', {
 *   recipients: recipientOf(identity),
 *   exclude: '*.tmp',
 *   replace: true,
 * })
 * if (leftOut > 0) console.error(notes.join('\n'))
 * for (const { path, size } of await list('photos.tar.seal', { identities: identity })) console.log(path, size)
 * await extract('photos.tar.seal', 'restored', { identities: identity, replace: true })
 * ```
 */
export async function encryptFolder(
  folders: PathLike | readonly PathLike[],
  output: PathLike,
  options: EncryptOptions & WriteOptions & RunOptions & ArchiveOptions,
): Promise<Archived> {
  checkOutput(output)
  const { handle, read } = encryption<ArchiveOptions & WriteOptions & RunOptions>(options, ARCHIVE)
  return usingLater(handle, async (encryptor) => {
    const run = runOf(read)
    const [exclude, compression] = [patternsOf(read.exclude), compressionOf(read.compression)]
    const replace = booleanOption(read.replace, 'replace') === true
    const oneFileSystem = booleanOption(read.oneFileSystem, 'oneFileSystem') === true
    const owners = booleanOption(read.owners, 'owners') === true
    const attributes = booleanOption(read.attributes, 'attributes') === true
    const from = joined((Array.isArray(folders) ? folders : [folders]).map(pathOf))
    const to = pathOf(output)
    const archived = await watched(run, (job) =>
      files().encryptFolder(encryptor, from, to, replace, exclude, compression, oneFileSystem, owners, attributes, job),
    )
    return { ...archived, notes: archived.notes.map(({ message }) => message) }
  })
}

/**
 * Lists the members of an archive, in the order of their paths. It reads only the end of the file, and not an armoured one
 * (`not_seekable`).
 *
 * The list is what the writer of the archive put there. {@link extract} compares it with each member that it makes, and
 * {@link verifyFile} with all.
 *
 * It needs the native part of this package; without it, and in browsers, it is the error `unavailable_backend`.
 *
 * @throws {@link SealstoneError} `not_an_archive`, `malformed_archive`, `not_seekable`, `io`, and what {@link decryptFile} throws.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { encryptFolder, list } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * await writeFile('plan.txt', 'attack at dawn')
 * await encryptFolder('plan.txt', 'plan.tar.seal', { key, replace: true })
 * const [plan] = await list('plan.tar.seal', { key })
 * console.log(plan?.path, plan?.kind, plan?.size) // plan.txt file 14
 * ```
 */
export async function list(file: PathLike, options: DecryptOptions & RunOptions): Promise<Entry[]> {
  const { handle, read } = decryption<RunOptions>(options, RUN_OPTIONS)
  return usingLater(handle, async (decryptor) => {
    const [run, from] = [runOf(read), pathOf(file)]
    return entriesOf(await watched(run, (job) => files().listArchive(decryptor, from, job)))
  })
}

/**
 * Makes the files and folders of an archive in a new folder, which appears when all of it is authentic, or not at all.
 *
 * With `paths` it makes only these members, and what is in such folders; of an armoured file that is the error `not_seekable`. Symbolic
 * links that may lead out of the folder are the error `unsafe_member`, unless `outsideLinks` allows them.
 *
 * It needs the native part of this package; without it, and in browsers, it is the error `unavailable_backend`.
 *
 * @throws {@link SealstoneError} `not_an_archive`, `malformed_archive`, `unsafe_member`, `no_such_member`, `names_collide`,
 * `output_exists`, `io`, and what {@link decryptFile} throws.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises'
 * import { encryptFolder, extract } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * await writeFile('order.txt', 'attack at dawn')
 * await encryptFolder('order.txt', 'order.tar.seal', { key, replace: true })
 * await extract('order.tar.seal', 'orders', { key, paths: ['order.txt'], replace: true })
 * console.log(await readFile('orders/order.txt', 'utf8')) // attack at dawn
 * ```
 */
export async function extract(
  file: PathLike,
  folder: PathLike,
  options: DecryptOptions & RunOptions & ExtractOptions,
): Promise<Extracted> {
  checkOutput(folder)
  const { handle, read } = decryption<ExtractOptions & RunOptions>(options, EXTRACT)
  return usingLater(handle, async (decryptor) => {
    const [run, paths] = [runOf(read), membersOf(read.paths)]
    const replace = booleanOption(read.replace, 'replace') === true
    const outsideLinks = booleanOption(read.outsideLinks, 'outsideLinks') === true
    const specialBits = booleanOption(read.specialBits, 'specialBits') === true
    const owners = booleanOption(read.owners, 'owners') === true
    const attributes = booleanOption(read.attributes, 'attributes') === true
    const [from, to] = [pathOf(file), pathOf(folder)]
    return watched(run, (job) =>
      files().extractArchive(decryptor, from, to, paths, replace, outsideLinks, specialBits, owners, attributes, job),
    )
  })
}

/** The patterns, with a zero byte between two. */
function patternsOf(exclude: unknown): Bytes {
  if (exclude === undefined) return NONE
  const patterns: readonly unknown[] = Array.isArray(exclude) ? exclude : [exclude]
  return joined(
    patterns.map((pattern) => {
      if (typeof pattern === 'string' && pattern !== '' && !pattern.includes('\0')) return utf8(pattern, 'exclude')
      throw new ArgumentError('exclude must be patterns: strings that are not empty and have no zero byte')
    }),
  )
}

function compressionOf(compression: unknown): string | undefined {
  if (compression === undefined || compression === 'auto' || compression === 'none') return compression
  if (typeof compression === 'string') throw new ArgumentError("compression must be 'auto', 'none' or a level")
  return String(wholeNumber(compression, 'compression', 1, LEVEL_MAX))
}

/** The highest level of Zstandard. */
const LEVEL_MAX = 22

/** The paths of members, with a zero byte between two; no bytes of no option, which are all. */
function membersOf(paths: unknown): Bytes {
  if (paths === undefined) return NONE
  if (!Array.isArray(paths) || paths.length === 0) {
    throw new ArgumentError('paths must be an array of paths, and not empty: leave it out to extract all')
  }
  return joined(
    (paths as readonly unknown[]).map((path) => {
      const bytes = isBytesLike(path) ? bytesOf(path, 'paths') : NONE
      if (bytes.length > 0 && !bytes.includes(0)) return bytes
      throw new ArgumentError('paths must be strings or Uint8Arrays that are not empty and have no zero byte')
    }),
  )
}

const NONE: Bytes = new Uint8Array(0)

function joined(texts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(
    texts.reduce((length, text) => length + text.length + 1, -1) + (texts.length === 0 ? 1 : 0),
  )
  let at = 0
  for (const text of texts) {
    all.set(text, at)
    at += text.length + 1
  }
  return all
}

function entriesOf(listing: Listing): Entry[] {
  const { names, pathLengths, linkLengths, kinds, sizes, modes, seconds, nanoseconds } = listing
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let at = 0
  const next = (length: number): Bytes => {
    at += length
    return names.subarray(at - length, at)
  }
  return pathLengths.map((length, i) => {
    const path = next(length)
    const link = next(linkLengths[i] as number)
    const [modifiedSeconds, modifiedNanoseconds] = [seconds[i] as number, nanoseconds[i] as number]
    return {
      path: decoder.decode(path),
      rawPath: path.slice(),
      kind: MEMBER_KINDS[kinds[i] as number] as MemberKind,
      size: sizes[i] as number,
      mode: modes[i] as number,
      modified: new Date(modifiedSeconds * 1000 + Math.floor(modifiedNanoseconds / 1e6)),
      modifiedSeconds,
      modifiedNanoseconds,
      ...(link.length > 0 && { link: decoder.decode(link) }),
    }
  })
}
