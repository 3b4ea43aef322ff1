import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { revisions, type Revision, type ScenarioResult } from './suite.ts';

const path = fileURLToPath(new URL('../../docs/mcp-conformance.md', import.meta.url));

const noPrompts = 'A machine has no prompts.';
const noResources = 'A machine has no resources, only tools.';
const noLog = 'A machine sends no log to its callers.';
const noCompletion = 'Without prompts and resources there is nothing to complete.';
const noTasks = 'An extension that is not offered.';

/** What a machine does not have, by the beginning of the scenario's name, and why. */
const notApplicable: [beginning: string, why: string][] = [
  ['prompts-', noPrompts],
  ['input-required-result-non-tool-request', noPrompts],
  ['resources-', noResources],
  ['logging-', noLog],
  ['tools-call-with-logging', noLog],
  ['completion-', noCompletion],
  ['tasks-', noTasks],
];

export const reasonOf = (scenario: string): string | undefined =>
  notApplicable.find(([beginning]) => scenario.startsWith(beginning))?.[1];

const verdict = (result: ScenarioResult | undefined): string => {
  if (!result) return '';
  if (result.failed.length === 0) return result.scored ? 'passes' : 'passes (not scored)';
  if (reasonOf(result.scenario) !== undefined) return 'not applicable';
  return result.scored ? 'FAILS' : 'fails (not scored)';
};

/** The table of the page: one line a scenario, as it came out. */
export const tableOf = (results: readonly ScenarioResult[]): string[] => {
  const names = [...new Set(results.map(({ scenario }) => scenario))].toSorted();
  const found = (scenario: string, revision: Revision) =>
    results.find((result) => result.scenario === scenario && result.revision === revision);
  const rows = names.map((name) => {
    const verdicts = revisions.map((revision) => verdict(found(name, revision)));
    const why = verdicts.includes('not applicable') ? (reasonOf(name) ?? '') : '';
    const cells = [name, ...verdicts, why].map((cell) => (cell === '' ? ' ' : ` ${cell} `));
    return `|${cells.join('|')}|`;
  });
  return [`| scenario | ${revisions.join(' | ')} | why |`, '| --- | --- | --- | --- |', ...rows];
};

const isOfTable = (line: string) => line.startsWith('|');

/** Where the first table of the page begins and ends. */
const tableIn = (lines: readonly string[]): [from: number, to: number] => {
  const from = lines.findIndex(isOfTable);
  const length = lines.slice(from).findIndex((line) => !isOfTable(line));
  return [from, from + length];
};

/** The table as it stands on the page. */
export const readTable = (): string[] => {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(...tableIn(lines));
};

/** Puts a table in the place of the one on the page. */
export const writeTable = (table: readonly string[]): void => {
  const lines = readFileSync(path, 'utf8').split('\n');
  const [from, to] = tableIn(lines);
  writeFileSync(path, lines.toSpliced(from, to - from, ...table).join('\n'));
};
