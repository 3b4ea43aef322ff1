import { expect, it } from 'vitest';
import type { MachineView } from '../../../gateway/index.ts';
import { machineTools } from './tool-list.ts';

const inputOf = (inputSchema: Record<string, unknown>, more: object = {}) => {
  const tool = { name: 'read_file', inputSchema, ...more };
  const machine = { tools: new Map([['read_file', tool]]) } as unknown as MachineView;
  return machineTools(machine, { scopes: ['filesystemRead'] })[0];
};

it.each([
  ['as it is', { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } }, undefined],
  ['without a type', {}, { type: 'object' }],
  ['of another type', { type: 'string' }, { type: 'object' }],
  ['MC-19 that is fetched', { $ref: 'https://evil.example/schema.json' }, { type: 'object' }],
  [
    'MC-19 that is fetched further in',
    { properties: { a: { items: [{ $ref: 'file:///etc/passwd' }] } } },
    { type: 'object' },
  ],
  ['MC-19 that is fetched dynamically', { allOf: [{ $dynamicRef: '//evil.example' }] }, { type: 'object' }],
])('a schema %s', (_, schema, shown) => {
  expect(inputOf(schema)).toEqual({ name: 'read_file', inputSchema: shown ?? schema });
});

it.each([
  ['kept', { type: 'object', properties: {} }, true],
  ['left out where it is no object', { type: 'array' }, false],
  ['MC-19 left out where it would be fetched', { type: 'object', $ref: 'https://evil.example' }, false],
])('what a tool promises to give is %s', (_, outputSchema, kept) => {
  expect('outputSchema' in (inputOf({ type: 'object' }, { outputSchema }) ?? {})).toBe(kept);
});
