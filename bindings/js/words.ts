import { readFileSync } from 'node:fs'

const LIST = new URL('../../crates/core/words/eff_large.txt', import.meta.url)

/** Resolves `#words` where nothing is built: to the words of core's list. */
export function words(): {
  name: string
  resolveId: (id: string) => string | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'words',
    resolveId: (id) => (id === '#words' ? ID : undefined),
    load: (id) => (id === ID ? wordsFile() : undefined),
  }
}

const ID = '\0words'

/** The list in one text with spaces between the words, and with its source and its licence. */
export function wordsFile(): string {
  const lines = readFileSync(LIST, 'utf8').trimEnd().split('\n')
  const said = lines.filter((line) => line.startsWith('#')).map((line) => ` * ${line.slice(2)}`)
  const words = lines.filter((line) => !line.startsWith('#'))
  return `/*\n${said.join('\n')}\n */\nexport const words = "${words.join(' ')}"\n`
}
