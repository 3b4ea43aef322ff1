import { readFileSync, symlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { openRuntime } from '../../../../test/support/runtime-fixture.ts';
import { textOf } from '../../../../test/support/tool-fixture.ts';

describeWith('bubblewrap')('Codex in a folder', () => {
  const opened = shared(() => openRuntime());
  const guide = async () => textOf(await opened().turn(['GUIDE'], { runtime: 'acp:codex' }));

  it('RT-07 a change in several places is shown in the whole of the file; RT-02 a command in its folder', async () => {
    const { root, state, turn } = opened();
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\none\n');
    await turn(['PATCH a.txt one three', 'RUN touch made.txt'], { runtime: 'acp:codex' });
    expect(state.questions).toMatchObject([
      { resource: join(root, 'a.txt'), preview: { kind: 'diff', added: 2, removed: 2 } },
      { resource: `"${root}" $ touch made.txt` },
    ]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('three\ntwo\nthree\n');
  });

  it('more pictures than 4, or than 3,000,000 characters of base64, are refused before the question', async () => {
    const picture = (data: string) => ({ name: 'a.png', mediaType: 'image/png', data });
    const ask = async (...pictures: object[]) =>
      opened().call('runtime_turn', { runtime: 'acp:codex', prompt: 'SAY hi', pictures });
    const small = picture('iVBORw0KGgo=');
    expect(questionOf(await ask(small, small, small, small))).toBeDefined();
    expect(textOf(await ask(small, small, small, small, small))).toContain('pictures');
    const half = picture('A'.repeat(1_500_000));
    expect(questionOf(await ask(half, half))).toBeDefined();
    expect(textOf(await ask(half, half, small))).toContain('3000000 characters');
  });

  it('RT-16 gets the instructions of the folder, and nothing that a link leads to', async () => {
    const { root, outside } = opened();
    const path = join(root, 'AGENTS.md');
    writeFileSync(join(outside, 'secret'), 'a secret');
    symlinkSync(join(outside, 'secret'), path);
    expect(await guide()).not.toContain('secret');
    rmSync(path);
    writeFileSync(path, 'Write tests');
    expect(await guide()).toMatch(/\n\nWrite tests$/);
  });
});
