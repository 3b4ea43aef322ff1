import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { methods } from './methods.ts';

it('docs/jsonrpc.md lists every method with its callers, and no other', () => {
  const page = readFileSync(new URL('../../../../../docs/jsonrpc.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-zA-Z_.]+)` \| (\w+) \|/gm)].map(
    ([, name, who]) => `${name} ${who}`,
  );
  expect(rows.toSorted()).toEqual([...methods.values()].map(({ name, who }) => `${name} ${who}`).toSorted());
});
