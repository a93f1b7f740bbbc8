import { SECRET_MARKS } from '../basics/table.js'

/** A file's name: bytes of the system's, which need not be UTF-8. */
export class Path {
  /** A character for each byte. */
  readonly #bytes: string

  /** Where a relative name begins: a program may have another working directory later. */
  readonly #from: string

  private constructor(bytes: string, from = workingFolder(bytes)) {
    this.#bytes = bytes
    this.#from = from
  }

  static of(bytes: Uint8Array): Path {
    return new Path(Buffer.from(bytes).toString('latin1'))
  }

  /** As the functions of Node take it. */
  get name(): string | Buffer {
    const bytes = Buffer.concat([Buffer.from(this.#from), Buffer.from(this.#bytes, 'latin1')])
    const text = bytes.toString()
    return IS_WINDOWS || bytes.equals(Buffer.from(text)) ? text : bytes
  }

  /** The last part of the name; none of a name that only a folder can have. */
  get last(): string | undefined {
    const last = this.#bytes.slice(this.#start)
    return last === '' || last === '.' || last === '..' ? undefined : last
  }

  get folder(): Path {
    const start = this.#start
    if (start === 0) return new Path('.', this.#from)
    // What ends with its separator is the root of the system, or of a drive.
    return new Path(this.#bytes.slice(0, start), this.#from)
  }

  /** A file beside this one. */
  beside(name: string): Path {
    return new Path(this.#bytes.slice(0, this.#start) + name, this.#from)
  }

  /** As one line of text that no name can forge, without what looks like a secret key (`escape_name` of the core). */
  get shown(): string {
    const bytes = this.#bytes.replace(UTF_8, (byte, character) => character ?? `\\x${byte.charCodeAt(0).toString(16)}`)
    const text = Buffer.from(bytes, 'latin1').toString()
    return text.replace(SECRETS, '$1$2…').replace(UNSHOWN, (character) => {
      return ESCAPES[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`
    })
  }

  get #start(): number {
    const slash = this.#bytes.lastIndexOf('/')
    return 1 + (IS_WINDOWS ? Math.max(slash, this.#bytes.lastIndexOf('\\'), DRIVE.test(this.#bytes) ? 1 : -1) : slash)
  }
}

const IS_WINDOWS = process.platform === 'win32'
const DRIVE = /^[A-Za-z]:/
/** Age's and our strings with what follows them; PEM and JWK, which no name looks like, from where they begin. */
const SECRETS = new RegExp(
  [
    `(${SECRET_MARKS.join('|')})[A-Z0-9-]{16,}`,
    '(AGE-PLUGIN-)(?=[A-Z0-9-]{16})[A-Z0-9]+(?:-[A-Z0-9]+)*-1[A-Z0-9-]+',
    '-----BEGIN(?=.*PRIVATE KEY-----).*',
    '\\{(?=.*"kty").*',
  ].join('|'),
  'gis',
)
/** Of bytes beyond ASCII: a character of UTF-8 (Unicode, table 3-7), or one that belongs to none. */
const UTF_8 =
  /([\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})|[\x80-\xff]/g
/** Controls, ends of lines, and marks that change the direction of what follows. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' }

/** The working directory, with its separator, for a name that begins there. One that is gone or is no text is left to the system. */
function workingFolder(bytes: string): string {
  if (IS_WINDOWS || bytes === '' || bytes.startsWith('/')) return ''
  try {
    const folder = process.cwd()
    return folder.includes('\uFFFD') ? '' : `${folder}/`
  } catch {
    return ''
  }
}
