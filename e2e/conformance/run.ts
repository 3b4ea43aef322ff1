import { createProcesses } from '../harness/index.ts';
import { runAuthorization } from './authorization.ts';
import { reasonOf, tableOf, writeTable } from './page.ts';
import { revisions, runSuite, type ScenarioResult } from './suite.ts';
import { startTarget } from './target.ts';

/** `pnpm conformance`: runs the suite against its own server; `--write` updates the table on the page. */
const processes = createProcesses();
const target = await startTarget(processes);
const results: ScenarioResult[] = [];
for (const revision of revisions) {
  console.log(`\n${revision}`);
  for (const result of await runSuite(processes, { url: target.url, revision })) {
    results.push(result);
    const { scenario, scored, failed } = result;
    const word = failed.length === 0 ? 'ok   ' : 'fails';
    console.log(`  ${word} ${scenario}${scored ? '' : ' (not scored)'}`);
    for (const check of failed) console.log(`          ${check}`);
  }
}
console.log('\nauthorization');
let unauthorized = 0;
for (const [scenario, failed] of Object.entries(await runAuthorization(processes, target))) {
  console.log(`  ${failed.length === 0 ? 'ok   ' : 'fails'} ${scenario}`);
  for (const check of failed) console.log(`          ${check}`);
  unauthorized += failed.length;
}
await target.close();
await processes.stopAll();
if (process.argv.includes('--write')) writeTable(tableOf(results));

const failing = results.filter(
  ({ scored, scenario, failed }) => scored && failed.length > 0 && reasonOf(scenario) === undefined,
);
console.log(`\n${failing.length} scored scenarios fail that concern a machine`);
process.exitCode = failing.length + unauthorized === 0 ? 0 : 1;
