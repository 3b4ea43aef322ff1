import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, textOf, tryOut } from './try-out.ts';

const write = (requestId: string, args: Record<string, unknown> = {}) => ({
  requestId,
  toolCall: { name: 'write_file', arguments: { filePath: 'a.txt', content: 'new', ...args } },
});

describe('dispatch', () => {
  it('reads a file', async () => {
    const { root, call } = await tryOut();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
    const data = { path: 'a.txt', content: 'one\ntwo\n', truncated: false, totalLines: 3 };
    expect(await call('read_file', { filePath: 'a.txt' })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(data) }],
      structuredContent: data,
    });
  });

  it('asks before it writes, and writes what was asked about', async () => {
    const { root, send } = await tryOut();
    writeFileSync(join(root, 'a.txt'), 'old\n');
    const asked = await send(write('r1'));
    const question = confirmationText.decode(textOf(asked));
    expect({ ...question, askId: '' }).toEqual({
      toolGroup: 'filesystemWrite',
      resource: join(root, 'a.txt'),
      description: `Replace file: ${join(root, 'a.txt')}`,
      options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
      resources: [
        {
          toolGroup: 'filesystemWrite',
          resource: join(root, 'a.txt'),
          description: `Replace file: ${join(root, 'a.txt')}`,
        },
      ],
      preview: { kind: 'diff', path: 'a.txt', text: expect.stringContaining('-old\n+new'), truncated: false },
      askId: '',
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old\n');
    expect(await send(write('r1', { _confirmation: 'allowOnce' }))).toMatchObject({
      structuredContent: { path: 'a.txt' },
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
  });

  it.each([
    ['an unknown tool', 'rm_rf', {}, 'This machine does not offer this tool'],
    ['a missing argument', 'read_file', {}, 'filePath: Invalid input: expected string, received undefined'],
    [
      'a wrong type',
      'read_file',
      { filePath: 7 },
      'filePath: Invalid input: expected string, received number',
    ],
    ['one too many', 'read_file', { filePath: 'a', b: 1 }, 'arguments: Unrecognized key: "b"'],
    ['nothing there', 'read_file', { filePath: 'no.txt' }, 'There is nothing at this path'],
  ])('answers %s with an error result', async (_case, name, args, text) => {
    const { call } = await tryOut({ modes: everythingAllowed });
    const result = await call(name, args);
    expect([result.isError, textOf(result)]).toEqual([true, text]);
  });

  it('makes parent folders', async () => {
    const { root, call } = await tryOut({ modes: everythingAllowed });
    mkdirSync(join(root, 'x'));
    await call('write_file', { filePath: 'x/y/z/a.txt', content: 'deep' });
    expect(readFileSync(join(root, 'x/y/z/a.txt'), 'utf8')).toBe('deep');
  });
});
