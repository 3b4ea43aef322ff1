import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { failedLines, type Failure } from './failed.ts';
import { skippedLines } from './skipped.ts';

const casesOf = (modules: readonly TestModule[]): TestCase[] =>
  modules.flatMap((module) => [...module.children.allTests()]);

const nameOf = ({ project, relativeModuleId }: TestModule): string => `${project.name} ${relativeModuleId}`;

const failedTest = (test: TestCase): Failure => ({
  name: `${nameOf(test.module)} > ${test.fullName}`,
  errors: test.result().errors ?? [{ message: 'did not run to its end' }],
});

/** What an unhandled error is, is not known. */
const messageOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
const stackOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : undefined;

/** Ends the output with the skipped and failed tests, then with the line `N passed, N failed, N skipped`. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const cases = casesOf(modules);
    const inState = (...states: string[]) => cases.filter((test) => states.includes(test.result().state));
    const skipped = inState('skipped');
    // A file or a suite that failed outside its tests counts as one.
    const brokenFiles = modules.filter((module) => module.errors().length > 0);
    const brokenSuites = modules
      .flatMap((module) => [...module.children.allSuites()])
      .filter((suite) => suite.errors().length > 0);
    const failures = [
      ...inState('failed', 'pending').map(failedTest),
      ...brokenFiles.map((module) => ({ name: nameOf(module), errors: module.errors() })),
      ...brokenSuites.map((suite) => ({
        name: `${nameOf(suite.module)} > ${suite.fullName}`,
        errors: suite.errors(),
      })),
      ...unhandledErrors.map((error) => ({
        name: 'outside of the tests',
        errors: [{ message: messageOf(error), stack: stackOf(error) }],
      })),
    ];
    if (skipped.length > 0) console.log(`\n${skippedLines(skipped.map((test) => test.fullName)).join('\n')}`);
    if (failures.length > 0) console.log(`\n${failedLines(failures).join('\n')}`);
    console.log(`\n${inState('passed').length} passed, ${failures.length} failed, ${skipped.length} skipped`);
  }
}
