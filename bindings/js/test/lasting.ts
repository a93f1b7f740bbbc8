import type { Reporter, TestCase } from 'vitest/node'

/** Milliseconds between two looks, and from which on a test is said to last. */
const LOOK_MS = 60_000

/** Says once a minute which tests have been running for longer: limits are of minutes, and where one hangs is to be seen before. */
export function lasting(): Reporter {
  const begun = new Map<TestCase, number>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    for (const [test, at] of begun) {
      const seconds = Math.round((Date.now() - at) / 1000)
      const { project, module, fullName } = test
      // That a short one has ended may be told before that it begins.
      if (test.result().state !== 'pending') begun.delete(test)
      else if (seconds * 1000 >= LOOK_MS) {
        console.log(`still running after ${seconds} s: ${project.name}, ${module.relativeModuleId}: ${fullName}`)
      }
    }
  }
  return {
    onTestRunStart(): void {
      timer = setInterval(look, LOOK_MS).unref()
    },
    onTestCaseReady(test: TestCase): void {
      begun.set(test, Date.now())
    },
    onTestCaseResult(test: TestCase): void {
      begun.delete(test)
    },
    onTestRunEnd(): void {
      clearInterval(timer)
    },
  }
}
