import { expect, it } from 'vitest';
import { machineName, newMachineName } from './ids.ts';

it.each([
  ['ada@laptop.local', [], 'laptop'],
  ['Adas MacBook Pro', [], 'adas-macbook-pro'],
  ['laptop', ['laptop'], 'laptop-2'],
  ['laptop', ['laptop', 'laptop-2'], 'laptop-3'],
  ['', [], 'machine'],
  ['ada@', ['machine'], 'machine-2'],
  ['all', [], 'machine'],
  ['ада@ноутбук', [], 'machine'],
  ['x'.repeat(40), [], 'x'.repeat(32)],
  ['x'.repeat(40), ['x'.repeat(32)], `${'x'.repeat(30)}-2`],
])('a machine on the host %j beside %j is called %s', (host, taken, name) => {
  expect(newMachineName(host, new Set(taken))).toBe(name);
});

it.each([
  ['laptop', true],
  ['x'.repeat(32), true],
  ['x'.repeat(33), false],
  ['Laptop', false],
  ['a b', false],
  ['', false],
  ['all', false],
])('%j may be a name: %s', (name, may) => {
  expect(machineName.safeParse(name).success).toBe(may);
});
