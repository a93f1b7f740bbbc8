import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'

/** Fails a run in which fewer tests passed than a project has: one that was not found, or did not begin, is no error of anyone else. */
export function atLeast(expected: Record<string, number>): Reporter {
  let run: Vitest
  /** False where files or tests are named. */
  let isWhole = true
  return {
    onInit(vitest): void {
      run = vitest
    },
    async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
      const all = await run.globTestSpecifications()
      isWhole = specifications.length === all.length && run.config.testNamePattern === undefined
    },
    onTestRunEnd(modules: readonly TestModule[]): void {
      for (const { name } of isWhole ? run.projects : []) {
        const own = modules.filter((module) => module.project.name === name)
        const passed = own.flatMap((module) => [...module.children.allTests('passed')]).length
        const [, least] = Object.entries(expected).find(([start]) => name.startsWith(start)) ?? []
        if (least === undefined) throw new Error(`nobody says how many tests the project ${name} has`)
        console.log(`${name}: ${passed} tests passed, of at least ${least}`)
        if (passed < least) throw new Error(`too few tests of the project ${name} ran`)
      }
    },
  }
}
