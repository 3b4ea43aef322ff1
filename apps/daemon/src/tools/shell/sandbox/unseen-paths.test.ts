import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { setVariables } from '../../../../test/support/home/config.ts';
import { file } from '../../../../test/support/home/stand-in-home.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';

describeWith('bubblewrap')('the note about what a command does not see', () => {
  const world = shared(async () => {
    // Not in /tmp, which a command has for itself.
    setVariables({ TMPDIR: '/var/tmp' });
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    file(join(home, 'data/there.csv'), 'sesame');
    mkdirSync(join(folders.root, 'src'));
    setVariables({ HOME: home });
    return { home, ...(await openShell(folders)) };
  });
  const notesOf = async (command: string): Promise<string[]> => {
    const { notes = [] } = await world().run(command);
    return notes.filter((note) => note.startsWith('A command in the sandbox sees'));
  };

  it.each<[string, (home: string) => string, string]>([
    ['a file of the home folder', (home) => `cat ${home}/data/there.csv`, 'data/there.csv'],
    // A note that told them apart would tell a command which files there are.
    ['one that is not there', (home) => `cat ${home}/data/missing.csv`, 'data/missing.csv'],
    ['one named with ~', () => 'cat ~/data/there.csv', 'data/there.csv'],
    ['one named with $HOME', () => 'cat $HOME/data/there.csv', 'data/there.csv'],
    ['one named with ${HOME}', () => 'cat "${HOME}/data/there.csv"', 'data/there.csv'],
    ['one that only the output names', (home) => `cat "$(printf %s ${home})/data/other"`, 'data/other'],
    [
      'one that a program opens',
      () => `python3 -c 'import os; open(os.environ["HOME"] + "/data/there.csv")'`,
      'data/there.csv',
    ],
    ['a folder that is entered', (home) => `cd ${home}/data`, 'data'],
  ])('names %s and the command that adds it', async (_case, command, path) => {
    const { home } = world();
    const full = join(home, path);
    expect(await notesOf(command(home))).toEqual([
      expect.stringMatching(`and not ${full}\\. The owner of .* sandbox add ${full}$`),
    ]);
  });

  it.each([
    ['a file that is missing in the shared folder', 'cat nothing.txt'],
    ['one missing in it by its whole path', 'cat "$PWD/nothing.txt"'],
    ['one missing in the system', 'cat /usr/share/nothing-of-this-name'],
    ['one missing in its temporary folder', 'cat "$TMPDIR/nothing"'],
    ['a program that is not installed', 'standin-nowhere'],
    ['a command that ended well', 'ls ~/data || true'],
    ['a command that failed for another reason', 'false ~/data'],
  ])('is not made for %s', async (_case, command) => {
    expect(await notesOf(command)).toEqual([]);
  });

  it('NG-05: says the same of a file that is there and of one that is not', async () => {
    const { home } = world();
    const of = async (name: string) =>
      (await notesOf(`cat ${home}/data/${name}`)).map((note) => note.replaceAll(name, '<name>'));
    expect(await of('there.csv')).toEqual(await of('missing.csv'));
  });

  it('is gone once the owner has added the folder', async () => {
    const { home, run, settings } = world();
    await settings.setReadable(() => [join(home, 'data')]);
    expect((await run(`cat ${home}/data/there.csv`)).stdout).toBe('sesame');
    expect(await notesOf(`cat ${home}/data/missing.csv`)).toEqual([]);
    await settings.setReadable(() => []);
  });
});
