import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { newFolder, type Processes } from '../harness/index.ts';
import { suiteFolder } from '../harness/programs.ts';

export const revisions = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];

/** What one scenario said; `scored`: it counts for the revision. */
export interface ScenarioResult {
  revision: Revision;
  scenario: string;
  scored: boolean;
  /** The checks that failed, with their reasons; none where it passed. */
  failed: string[];
}

/** The scenarios that a revision requires of a server, as the suite lists them. */
const scoredOf = (revision: Revision): Set<string> => {
  const listed = readFileSync(join(suiteFolder(), 'requirements', `${revision}.yaml`), 'utf8');
  const [, names = ''] = /^server:\n((?: {2}- .+\n)+)/m.exec(listed) ?? [];
  return new Set(names.split('\n').flatMap((line) => /^ {2}- (\S+)$/.exec(line)?.[1] ?? []));
};

const checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** The checks that failed, with their reasons, as the suite wrote them down. */
export const failedIn = (folder: string): string[] =>
  checks
    .parse(JSON.parse(readFileSync(join(folder, 'checks.json'), 'utf8')))
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage }) => (errorMessage === undefined ? id : `${id}: ${errorMessage}`));

/** Runs what one revision requires of a server, and what it only reports. */
export const runSuite = async (
  processes: Processes,
  { url, revision }: { url: string; revision: Revision },
): Promise<ScenarioResult[]> => {
  const folder = newFolder('conformance');
  const suite = processes.start({
    command: process.execPath,
    args: [
      join(suiteFolder(), 'dist/index.js'),
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      '-o',
      folder,
    ],
    cwd: folder,
  });
  await suite.exit;
  const scored = scoredOf(revision);
  const results = readdirSync(folder).flatMap((name): ScenarioResult[] => {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined) return [];
    return [{ revision, scenario, scored: scored.has(scenario), failed: failedIn(join(folder, name)) }];
  });
  const missing = [...scored].filter((name) => !results.some(({ scenario }) => scenario === name));
  if (missing.length > 0) throw new Error(`Not run: ${missing.join(', ')}\n${suite.output()}`);
  return results.toSorted((a, b) => (a.scenario < b.scenario ? -1 : 1));
};
