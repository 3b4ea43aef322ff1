import type { Tool } from '@drawbridge/contracts/tool';
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { readFile } from '../../../test/worlds.ts';
import SchemaForm from './schema-form.vue';

const show = (inputSchema: Tool['inputSchema']) =>
  mount(SchemaForm, { props: { tool: { ...readFile, inputSchema }, busy: false } });
type Form = ReturnType<typeof show>;

const button = (form: Form, label: string) => {
  const found = form.findAll('button').find((candidate) => candidate.text() === label);
  if (!found) throw new Error(`There is no button ${label}`);
  return found;
};
const sent = (form: Form) => form.emitted('send') ?? [];

const edits = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where' },
    limit: { type: 'integer', minimum: 1, default: 20 },
    dry: { type: 'boolean' },
    globs: { type: 'array', items: { type: 'string' } },
    at: { type: 'object', properties: { line: { type: 'integer' } } },
    free: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
  required: ['path'],
};

it('sends what was filled in, leaves out what was not, and keeps types', async () => {
  const form = show(edits);
  await form.find('input[name=path]').setValue('a.txt');
  await form.find('input[name="at.line"]').setValue('7');
  await form.find('button[role=switch]').trigger('click');
  await button(form, 'Add an item').trigger('click');
  await form.find('input[name="globs.0"]').setValue('*.ts');
  await form.find('textarea[name=free]').setValue('4');
  await form.find('form').trigger('submit');
  expect(sent(form)).toEqual([
    [{ limit: 20, path: 'a.txt', at: { line: 7 }, dry: true, globs: ['*.ts'], free: 4 }],
  ]);
});

it('says what is missing and sends nothing', async () => {
  const form = show(edits);
  await form.find('form').trigger('submit');
  expect(sent(form)).toEqual([]);
  expect(form.text()).toContain('Required');
});

it('shows labels, marks, descriptions and defaults', () => {
  const form = show(edits);
  expect(form.find('label').text()).toBe('Where');
  expect(form.text()).toContain('path');
  expect(form.find<HTMLInputElement>('input[name=limit]').element.value).toBe('20');
});

it('takes the whole as JSON, and waits while it does not parse', async () => {
  const form = show(edits);
  await button(form, 'Edit as JSON').trigger('click');
  await form.find('textarea').setValue('{"path": ');
  await form.find('form').trigger('submit');
  expect(sent(form)).toEqual([]);
  await form.find('textarea').setValue('{"path":"b.txt","other":[1]}');
  await form.find('form').trigger('submit');
  expect(sent(form)).toEqual([[{ path: 'b.txt', other: [1] }]]);
});

it.each([
  ['a list', '[1]'],
  ['a number', '3'],
])('refuses %s in place of an object', async (_what, json) => {
  const form = show({ type: 'object' });
  await form.find('textarea').setValue(json);
  await form.find('form').trigger('submit');
  expect(sent(form)).toEqual([]);
  expect(form.text()).toContain('Must be an object');
});

it('sends an empty object for a tool without arguments', async () => {
  const form = show({ type: 'object', properties: {}, additionalProperties: false });
  await form.find('form').trigger('submit');
  expect(form.text()).toContain('This tool takes no arguments.');
  expect(sent(form)).toEqual([[{}]]);
});
