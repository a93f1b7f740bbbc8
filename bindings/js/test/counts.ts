import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Writes how many tests of each project passed, failed and were skipped: a line `WHAT PROJECT PASSED FAILED SKIPPED` in the file
 * `WHAT-PROJECT.txt` of this folder.
 */
export function countsTo(folder: string, what: string): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[]): void {
      const counts = new Map<string, [passed: number, failed: number, skipped: number]>()
      for (const module of modules) {
        // Of a browser it is `browser (chromium)`.
        const [project = ''] = module.project.name.split(' ')
        const count = counts.get(project) ?? [0, 0, 0]
        counts.set(project, count)
        const tests = [...module.children.allTests()].map((test) => test.result().state)
        for (const [i, state] of (['passed', 'failed', 'skipped'] as const).entries()) {
          count[i as 0] += tests.filter((one) => one === state).length
        }
        // One that cannot be loaded has no tests.
        if (module.state() === 'failed' && !tests.includes('failed')) count[1]++
      }
      mkdirSync(folder, { recursive: true })
      for (const [project, count] of counts) {
        writeFileSync(join(folder, `${what}-${project}.txt`), `${[what, project, ...count].join(' ')}\n`)
      }
    },
  }
}
