import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startDaemon } from '@drawbridge/e2e/harness';
import { rgPath } from '@vscode/ripgrep';
import { rawShot, startBareServer } from '../bare.ts';
import { treeToSearch } from '../files.ts';
import type { Figure, Group } from '../group.ts';
import { nowMs, timeOf, type Shot } from '../load.ts';
import { middleOf } from '../spread.ts';

const files = 20_000;

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

export const searchGroup: Group<'name' | 'content'> = {
  name: 'search',
  rows: {
    name: {
      measure: '`search_files` by name in 20,000 files, against `rg` itself',
      kind: 'ratio',
      unit: 'ms',
      goal: { atMost: 1.5 },
    },
    content: {
      measure: '`search_files` by content in 20,000 files, against `rg` itself',
      kind: 'ratio',
      unit: 'ms',
      goal: { atMost: 1.5 },
    },
  },
  open: async ({ processes, scaled, nodeFlags, inRow }) => {
    const root = treeToSearch(files);
    const { url, pool } = await startBareServer(processes);
    const token = `gw_${'b'.repeat(32)}`;
    const { process: daemon } = startDaemon(processes, { url, token, root, nodeFlags });
    await daemon.says(/^\s*connected /m);
    const searches = {
      name: {
        ours: { name: '**/*.log', maxResults: 1_000 },
        rg: ['--files', '--glob=**/*.log'],
      },
      content: {
        ours: { name: '**/*', query: 'needle', maxResults: 1_000 },
        rg: ['--line-number', '--fixed-strings', '--regexp=needle'],
      },
    };
    // One in a hundred has the name, one in a thousand the text; the last of both is this one.
    const expects = 'file-19007.log';

    const compare = async (kind: keyof typeof searches): Promise<Figure> => {
      const { ours, rg } = searches[kind];
      const shot: Shot = rawShot(pool, '/', { name: 'search_files', arguments: ours, expects });
      const times = { ours: new Array<number>(), bare: new Array<number>() };
      for (let n = 0; n < scaled(4); n++) {
        times.bare.push(await ripgrep(root, [...everything, ...rg], expects));
        times.ours.push(await timeOf(shot));
      }
      return { ours: middleOf(times.ours), bare: middleOf(times.bare) };
    };
    const round = async () => ({
      name: await inRow('name', () => compare('name')),
      content: await inRow('content', () => compare('content')),
    });
    await round();
    return round;
  },
};
