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

  /** Whether only a folder can have the name. */
  get isFolder(): boolean {
    return ['', '.', '..'].includes(this.#bytes.slice(this.#start.length))
  }

  get folder(): Path {
    return new Path(this.#start === '' ? '.' : this.#start, this.#from)
  }

  /** A file beside this one. */
  beside(name: string): Path {
    return new Path(this.#start + name, this.#from)
  }

  /** As one line of text that no name can forge, without what looks like a secret key. */
  get shown(): string {
    const text = Buffer.from(this.#bytes, 'latin1').toString()
    return text.replace(SECRETS, '$1$2…').replace(UNSHOWN, (character) => {
      return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
    })
  }

  /** The name up to its last part. */
  get #start(): string {
    return START.exec(this.#bytes)?.[0] ?? ''
  }
}

const IS_WINDOWS = process.platform === 'win32'
const START = IS_WINDOWS ? /^(?:.*[/\\]|[A-Z]:)/is : /^.*\//s
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
/** Controls, ends of lines, and marks that change the direction of what follows. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

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
