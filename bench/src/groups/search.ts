import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startDaemon } from '@drawbridge/e2e/harness';
import { rgPath } from '@vscode/ripgrep';
import { rawShot, startBareServer } from '../bare.ts';
import { treeToSearch } from '../files.ts';
import { ratio, type Figure, type Group, type Stage } from '../group.ts';
import { nowMs, timeOf, type Shot } from '../load.ts';
import { middleOf } from '../spread.ts';

/** Files in the two trees: one that ripgrep searches, and one that the daemon walks itself. */
const files = { large: 20_000, small: 1_100 };

/** Plain ripgrep on the whole tree, with its whole output. Throws if a match is missing. */
const ripgrep = async (root: string, args: string[], expects: string): Promise<number> => {
  const startMs = nowMs();
  const child = spawn(rgPath, [...args, './'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(child, 'close');
  if (!output.includes(expects)) throw new Error(`rg ${args.join(' ')} found no ${expects}`);
  return nowMs() - startMs;
};

const everything = ['--no-config', '--hidden', '--no-ignore', '--color=never'];

/** A bare server with our daemon, which offers a tree of `count` files. */
const startOn = async ({ processes, nodeFlags }: Stage, count: number) => {
  const root = treeToSearch(count);
  const { url, pool } = await startBareServer(processes);
  const token = `gw_${'b'.repeat(32)}`;
  const { process: daemon } = startDaemon(processes, { url, token, root, nodeFlags });
  await daemon.says(/^\s*connected /m);
  return { root, pool };
};

const byName = { ours: { name: '**/*.log', maxResults: 1_000 }, rg: ['--files', '--glob=**/*.log'] };
const byContent = {
  ours: { name: '**/*', query: 'needle', maxResults: 1_000 },
  rg: ['--line-number', '--fixed-strings', '--regexp=needle'],
};

export const searchGroup: Group<'smallName' | 'name' | 'content'> = {
  name: 'search',
  rows: {
    smallName: ratio('`search_files` by name in 1,100 files, against `rg` itself', 'ms', { atMost: 0.5 }),
    name: ratio('`search_files` by name in 20,000 files, against `rg` itself', 'ms', { atMost: 1.5 }),
    content: ratio('`search_files` by content in 20,000 files, against `rg` itself', 'ms', { atMost: 1.5 }),
  },
  open: async (stage) => {
    const { scaled, inRow } = stage;
    const large = await startOn(stage, files.large);
    const small = await startOn(stage, files.small);
    // One in a hundred has the name, one in a thousand the text; the last of both is this one.
    const searches = {
      smallName: { ...small, ...byName, expects: 'file-1007.log' },
      name: { ...large, ...byName, expects: 'file-19007.log' },
      content: { ...large, ...byContent, expects: 'file-19007.log' },
    };

    const compare = async (kind: keyof typeof searches): Promise<Figure> => {
      const { root, pool, ours, rg, expects } = searches[kind];
      const shot: Shot = rawShot(pool, '/', { name: 'search_files', arguments: ours, expects });
      const times = { ours: new Array<number>(), bare: new Array<number>() };
      for (let n = 0; n < scaled(4); n++) {
        times.bare.push(await ripgrep(root, [...everything, ...rg], expects));
        times.ours.push(await timeOf(shot));
      }
      return { ours: middleOf(times.ours), bare: middleOf(times.bare) };
    };
    const round = async () => ({
      smallName: await inRow('smallName', () => compare('smallName')),
      name: await inRow('name', () => compare('name')),
      content: await inRow('content', () => compare('content')),
    });
    await round();
    return round;
  },
};
