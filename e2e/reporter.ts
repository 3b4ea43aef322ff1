import type { Reporter, TestCase, TestModule } from 'vitest/node';

const casesOf = (modules: readonly TestModule[]): TestCase[] =>
  modules.flatMap((module) => [...module.children.allTests()]);

/** A file that could not be read at all, or that failed outside its tests. */
const brokenModules = (modules: readonly TestModule[]) =>
  modules.filter((module) => module.errors().length > 0).length;

/** Ends a run with what was skipped, and then with `N passed, N failed, N skipped` alone on a line. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const cases = casesOf(modules);
    const count = (state: string) => cases.filter((test) => test.result().state === state).length;
    const skipped = cases.filter((test) => test.result().state === 'skipped');
    if (skipped.length > 0) console.log('\nSkipped:');
    for (const test of skipped) console.log(`  ${test.module.relativeModuleId} > ${test.fullName}`);
    const failed = count('failed') + count('pending') + brokenModules(modules) + unhandledErrors.length;
    console.log(`\n${count('passed')} passed, ${failed} failed, ${skipped.length} skipped`);
  }
}
