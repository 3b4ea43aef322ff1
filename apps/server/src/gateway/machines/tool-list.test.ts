import { describe, expect, it } from 'vitest';
import { createToolList, readTools } from './tool-list.ts';

const tool = (name: string, inputSchema: object = { type: 'object' }) => ({ name, inputSchema });

const nested = (depth: number): object => {
  let schema: object = {};
  for (let level = 1; level < depth; level += 1) schema = { not: schema };
  return schema;
};
const wide = (nodes: number): object => ({ anyOf: Array.from({ length: nodes - 2 }, () => ({})) });

describe('announced tools', () => {
  it.each<[string, unknown[], string[], string[]]>([
    ['good ones', [tool('read_file'), tool('a.b-c_D9')], ['read_file', 'a.b-c_D9'], []],
    ['a repeated name', [tool('x'), tool('x')], ['x'], ['Tool "x" was skipped: the name is taken']],
    [
      'no tool at all',
      [null, 'x', 7, []],
      [],
      [1, 2, 3, 4].map((n) => `Tool number ${n} was skipped: it is not a valid tool`),
    ],
    [
      'a blank in the name',
      [tool('read file')],
      [],
      ['Tool "read file" was skipped: it is not a valid tool'],
    ],
    [
      'a letter that looks like another',
      [tool('wrіte_file')],
      [],
      ['Tool "wrіte_file" was skipped: it is not a valid tool'],
    ],
    [
      'a line break in the name',
      [tool('a\nb')],
      [],
      [String.raw`Tool "a\nb" was skipped: it is not a valid tool`],
    ],
    [
      'a name too long',
      [tool('n'.repeat(65))],
      [],
      [`Tool "${'n'.repeat(64)}" was skipped: it is not a valid tool`],
    ],
    ['no schema', [{ name: 'x' }], [], ['Tool "x" was skipped: it is not a valid tool']],
    ['as deep as it may be', [tool('x', nested(32))], ['x'], []],
    ['deeper', [tool('x', nested(33))], [], ['Tool "x" was skipped: its schema is too big']],
    ['far deeper', [tool('x', nested(5_000))], [], ['Tool "x" was skipped: its schema is too big']],
    ['as wide as it may be', [tool('x', wide(1_000))], ['x'], []],
    ['wider', [tool('x', wide(1_001))], [], ['Tool "x" was skipped: its schema is too big']],
    [
      'an answer too deep',
      [{ ...tool('x'), outputSchema: nested(33) }],
      [],
      ['Tool "x" was skipped: its schema is too big'],
    ],
    [
      'names of object parts',
      ['__proto__', 'constructor', 'toString'].map((name) => tool(name)),
      ['__proto__', 'constructor', 'toString'],
      [],
    ],
  ])('%s', (_name, announced, names, warnings) => {
    const read = readTools(announced);
    expect([...read.list.tools.keys()]).toEqual(names);
    expect(read.warnings).toEqual(warnings);
    expect(Object.hasOwn(Object.prototype, 'inputSchema')).toBe(false);
  });

  it('tells equal lists by their digest', () => {
    const [one, same, other] = [[tool('a')], [tool('a')], [tool('b')]].map(
      (tools) => createToolList(tools as never).digest,
    );
    expect([one === same, one === other]).toEqual([true, false]);
  });
});
