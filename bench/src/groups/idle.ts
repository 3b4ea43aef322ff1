import { newFolder, startServer, type Processes } from '@drawbridge/e2e/harness';
import { startBuilt, heldBytes, memoryFlags } from '../processes.ts';
import { ratio, type Figure, type Group } from '../group.ts';
import { openBareStreams, openStreams, pairMachines } from '../machines.ts';

const kibibyte = 1024;

const row = (count: string, atMost: number) =>
  ratio(
    `memory of the server per idle machine with 42 tools, ${count} of them, against an idle stream of Fastify`,
    'KiB',
    { atMost },
  );

const start = (processes: Processes, dataDir: string) =>
  startServer(processes, { DATA_DIR: dataDir, LOG_LEVEL: 'info' }, memoryFlags);

/** Machines that are paired and then come back to a server that has just started. */
const pairedOnce = async (processes: Processes, count: number) => {
  const dataDir = newFolder('idle');
  const server = await start(processes, dataDir);
  const keys = await pairMachines(server.url, dataDir, count);
  await server.end('SIGTERM');
  return { dataDir, keys };
};

const emptyServer = async (processes: Processes): Promise<number> => {
  const server = await start(processes, newFolder('empty'));
  const bytes = await heldBytes(server.process(), 1);
  await server.end('SIGTERM');
  return bytes;
};

const withMachines = async (
  processes: Processes,
  { dataDir, keys }: { dataDir: string; keys: string[] },
): Promise<number> => {
  const server = await start(processes, dataDir);
  const close = await openStreams(server.url, keys);
  const bytes = await heldBytes(server.process(), 1);
  await server.end('SIGKILL');
  close();
  return bytes;
};

const bareStreams = async (processes: Processes, count: number): Promise<number> => {
  const bare = startBuilt(processes, { name: 'bare-panel', nodeFlags: memoryFlags });
  const [, url = ''] = await bare.says(/panel on (\S+)/);
  const empty = await heldBytes(bare, 1);
  const closers = await openBareStreams(url, count);
  const full = await heldBytes(bare, 2);
  await bare.end('SIGKILL');
  for (const close of closers) close();
  return (full - empty) / count / kibibyte;
};

export const idleGroup: Group<'thousand' | 'fiveThousand'> = {
  name: 'idle',
  rows: { thousand: row('1,000', 1.7), fiveThousand: row('5,000', 1.6) },
  open: async ({ processes, scaled, inRow }) => {
    const thousand = await pairedOnce(processes, scaled(1_000));
    const fiveThousand = await pairedOnce(processes, scaled(5_000));
    return async () => {
      const empty = await emptyServer(processes);
      const compare = async (paired: typeof thousand): Promise<Figure> => {
        const count = paired.keys.length;
        const bare = await bareStreams(processes, count);
        const full = await withMachines(processes, paired);
        return { ours: (full - empty) / count / kibibyte, bare };
      };
      return {
        thousand: await inRow('thousand', () => compare(thousand)),
        fiveThousand: await inRow('fiveThousand', () => compare(fiveThousand)),
      };
    };
  },
};
