import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agentLimits } from './limits.ts';

const kibibyte = 1_024;

const shown = (name: string, value: number): string => {
  if (name.endsWith('Ms')) return value % 60_000 === 0 ? `${value / 60_000} min` : `${value / 1_000} s`;
  if (!name.endsWith('Bytes')) return value.toLocaleString('en');
  return value % kibibyte ** 2 === 0 ? `${value / kibibyte ** 2} MiB` : `${value / kibibyte} KiB`;
};

it('the limits are those of docs/agent.md', () => {
  const page = readFileSync(new URL('../../../../docs/agent.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \| `(\w+)` \|$/gm)].map(([, value, name]) => [
    name,
    value,
  ]);
  const limits = Object.entries(agentLimits).map(([name, value]) => [name, shown(name, value)]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(limits));
});
