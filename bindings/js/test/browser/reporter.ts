import type { Reporter, TestModule, TestProject } from 'vitest/node'

/** Fails a run in which fewer tests passed than a project has: one that was not found, or did not begin, is no error of anyone else. */
export function atLeast(expected: Record<string, number>): Reporter {
  let projects: readonly TestProject[] = []
  return {
    onInit(vitest): void {
      projects = vitest.projects
    },
    onTestRunEnd(modules: readonly TestModule[]): void {
      for (const { name } of projects) {
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
