import { rolldown } from 'rolldown'
import { FISE_WORKER } from './entries.js'

const HERE = new URL('.', import.meta.url).pathname

/** Resolves `#fise-worker` where nothing is built: to the program of the workers, made of its sources. */
export function fiseWorker(): {
  name: string
  resolveId: (id: string) => string | undefined
  load: (id: string) => Promise<string | undefined>
} {
  return {
    name: 'fise-worker',
    resolveId: (id) => (id === '#fise-worker' ? ID : undefined),
    load: async (id) => (id === ID ? `export const worker = ${JSON.stringify(await program())}\n` : undefined),
  }
}

const ID = '\0fise-worker'

async function program(): Promise<string> {
  const build = await rolldown({
    input: HERE + FISE_WORKER['fise-worker'],
    platform: 'neutral',
    resolve: {
      alias: {
        '#transcoder': `${HERE}src/extras/fise/transcoder.ts`,
        '#threads': `${HERE}src/extras/fise/threads-node.ts`,
      },
    },
  })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  return output[0].code
}
