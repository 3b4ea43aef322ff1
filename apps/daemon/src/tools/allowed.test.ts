import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, openTools } from '../../test/support/tool-fixture.ts';

const write = (requestId: string, args: Record<string, unknown> = {}) => ({
  requestId,
  toolCall: { name: 'write_file', arguments: { filePath: 'a.txt', content: 'new', ...args } },
});

describe('a call that runs without a question says what allowed it', () => {
  const changed = {
    kind: 'diff',
    path: 'a.txt',
    hunks: [{ lines: [{ text: 'old' }, { text: 'new' }] }],
  };

  it('by a rule, with what it changed', async () => {
    const { root, settings, send } = await openTools();
    writeFileSync(join(root, 'a.txt'), 'old\n');
    await settings.addRules('allow', [
      { toolGroup: 'filesystemWrite', resource: `${root}/`, reach: 'folder' },
    ]);
    expect(await send(write('r1'))).toMatchObject({
      _meta: {
        'drawbridge/allowed': {
          rules: [{ label: `change or delete files in ${root} and below` }],
          preview: changed,
        },
      },
    });
    // A second one finds the text of the first.
    const again = await send(write('r2', { content: 'newer' }));
    expect(again).toMatchObject({
      _meta: {
        'drawbridge/allowed': { preview: { hunks: [{ lines: [{ text: 'new' }, { text: 'newer' }] }] } },
      },
    });
  });

  it('by its mode; not where it was asked about, failed, or only reads', async () => {
    const { root, call } = await openTools({ modes: everythingAllowed });
    writeFileSync(join(root, 'a.txt'), 'old\n');
    const { _meta } = await call('write_file', { filePath: 'a.txt', content: 'new' });
    expect(_meta).toMatchObject({ 'drawbridge/allowed': { rules: [], preview: changed } });
    expect((await call('read_file', { filePath: 'a.txt' }))._meta).toBeUndefined();
    const failed = await call('delete', { path: 'none.txt' });
    expect(failed._meta?.['drawbridge/allowed']?.preview).toBeUndefined();
    const asking = await openTools();
    await asking.send(write('r1'));
    expect((await asking.send(write('r1', { _confirmation: 'allowOnce' })))._meta).toBeUndefined();
  });

  it('what a rule let run and failed, and what was refused', async () => {
    const open = await openTools();
    const rule = (name: string) => ({
      toolGroup: 'filesystemWrite' as const,
      resource: `${open.root}/${name}`,
    });
    await open.settings.addRules('allow', [rule('open.txt')]);
    await open.settings.addRules('deny', [rule('closed.txt')]);
    writeFileSync(join(open.root, 'open.txt'), 'old\n');
    writeFileSync(join(open.root, 'closed.txt'), 'old\n');
    const meta = async (filePath: string) => {
      const toolCall = { name: 'edit_file', arguments: { filePath, oldString: 'none', newString: '' } };
      return (await open.send({ requestId: filePath, toolCall }))._meta;
    };
    expect(await meta('open.txt')).toEqual({ 'drawbridge/ruling': 'rule' });
    expect(await meta('closed.txt')).toMatchObject({
      'drawbridge/outcome': 'denied',
      'drawbridge/ruling': 'rule',
    });
  });

  it('a change that is too large is left out', async () => {
    const { call } = await openTools({ modes: everythingAllowed });
    const { _meta } = await call('write_file', { filePath: 'a.txt', content: 'x'.repeat(40_000) });
    expect(_meta).toBeUndefined();
  });
});
