import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { createWalls } from './walls.ts';

const command = (temporary: string) => ({
  deniedPaths: { read: [], write: [] },
  signal: new AbortController().signal,
  temporary,
  caches: [],
});

describeWith('bubblewrap', 'git')('NG-19c what is protected when a command starts', () => {
  it('a repository that the end of another command moves into the folder meanwhile', async () => {
    const { root, own, outside } = makeFolders();
    const walls = createWalls({ root, privateFolder: own });
    const first = await walls.build(command(outside));
    const place = join(root, '.git');
    // Where the first one makes its repository.
    const folder = first.arguments[first.arguments.lastIndexOf(place) - 1] ?? '';
    spawnSync('git', ['init', '--quiet', outside]);
    cpSync(join(outside, '.git'), folder, { recursive: true });
    const ending = first.release();
    const second = await walls.build(command(outside));
    await ending;
    expect(second.arguments).toEqual(
      expect.arrayContaining([join(place, 'config'), join(place, 'hooks'), join(place, 'commondir')]),
    );
    await second.release();
  });

  it('a folder that cannot be listed, because no file can be opened, is not taken for an empty one', () => {
    const { root } = makeFolders();
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, '.envrc'), '');
    const module = JSON.stringify(join(import.meta.dirname, 'list-folder.ts'));
    const program = `
      import { openSync } from 'node:fs';
      const { listFolder } = await import(${module});
      const before = (await listFolder(${JSON.stringify(root)})).length;
      try { for (;;) openSync('/dev/null'); } catch {}
      const after = await listFolder(${JSON.stringify(root)});
      process.exitCode = before === 2 && after === undefined ? 0 : 7;`;
    const text = `ulimit -n 64; exec ${JSON.stringify(process.execPath)} --input-type=module --eval "$0"`;
    const ended = spawnSync('/bin/sh', ['-c', text, program], {
      cwd: join(import.meta.dirname, '../../../..'),
      encoding: 'utf8',
    });
    expect([ended.status, ended.stderr]).toEqual([0, expect.any(String)]);
  });
});
