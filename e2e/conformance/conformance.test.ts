import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcesses } from '../harness/index.ts';
import { authorizationScenarios, runAuthorization } from './authorization.ts';
import { readTable, reasonOf, tableOf } from './page.ts';
import { revisions, runSuite, type ScenarioResult } from './suite.ts';
import { startTarget, type Target } from './target.ts';

describe('the official suite of conformance, through the whole gateway', () => {
  const processes = createProcesses();
  let target: Target;
  const results: ScenarioResult[] = [];

  beforeAll(async () => {
    target = await startTarget(processes);
    for (const revision of revisions)
      results.push(...(await runSuite(processes, { url: target.url, revision })));
  });
  afterAll(async () => {
    await target.close();
    await processes.stopAll();
  });

  it.each(revisions)('%s: all that is scored and concerns a machine passes', (revision) => {
    const scored = results.filter((result) => result.revision === revision && result.scored);
    expect(scored.length).toBeGreaterThan(20);
    const failing = scored.filter(
      ({ scenario, failed }) => failed.length > 0 && reasonOf(scenario) === undefined,
    );
    expect(failing).toEqual([]);
  });

  it('authorization: both scenarios pass', async () => {
    const results = await runAuthorization(processes, target);
    expect(results).toEqual(Object.fromEntries(authorizationScenarios.map((scenario) => [scenario, []])));
  });

  it('docs/mcp-conformance.md says of every scenario how it came out', () => {
    expect(readTable()).toEqual(tableOf(results));
  });
});
