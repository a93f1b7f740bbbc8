import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestCase } from 'vitest/node'

/** Adds each test that was skipped to the list that `make test` prints at its end. */
export function skippedTo(list: string): Reporter {
  mkdirSync(dirname(list), { recursive: true })
  return {
    onTestCaseResult(test: TestCase): void {
      const result = test.result()
      if (result.state !== 'skipped') return
      appendFileSync(list, `the npm package: ${test.fullName}${result.note === undefined ? '' : `: ${result.note}`}\n`)
    },
  }
}
