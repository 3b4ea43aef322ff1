import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { serverEntry } from '../../harness/paths.ts';
import { plantedServer, plantNames, plants } from './planted.ts';

const codeBeside = (entry: string): string => {
  const folder = dirname(entry);
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
};

it.each(plantNames)('a copy of the built server lacks the guard %s, and the server has it', (name) => {
  const entry = plantedServer(plants[name]);
  expect(existsSync(entry)).toBe(true);
  expect(codeBeside(entry)).not.toMatch(plants[name].from);
  expect(codeBeside(serverEntry)).toMatch(plants[name].from);
});

it('code that the build does not have, or has twice, is an error', () => {
  expect(() => plantedServer({ from: /a guard that was renamed/g, to: '' })).toThrow('not once');
  expect(() => plantedServer({ from: /const /g, to: '' })).toThrow('not once');
});
