import { poolOf, rawShot, startBareDaemon, startBarePanel } from '../bare.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Group } from '../group.ts';
import { latencyMs, nowMs, warmUp, type TimedShot } from '../load.ts';
import { startProduct, type Product } from '../product.ts';

const line = 'x'.repeat(1_024);

/** Starts a process that prints 1 KiB and goes on. */
const startPrinting = async ({ person }: Product): Promise<string> => {
  const command = "head -c 1024 /dev/zero | tr '\\0' x; sleep 1000";
  const { result } = await person.api.calls.run.mutate({
    name: 'process_start',
    arguments: { command, waitFor: [line.slice(0, 9)], waitMs: 10_000 },
  });
  const [first] = result?.content ?? [];
  const id = /"process":"([^"]+)"/.exec(first?.type === 'text' ? first.text : '')?.[1];
  if (id === undefined) throw new Error(`process_start answered ${JSON.stringify(result).slice(0, 300)}`);
  return id;
};

/** What the card of the machine asks once a second while a process is open in it. */
const outputShot = ({ pool, person }: Product, show: string): TimedShot => {
  const path = `/trpc/processes.list?input=${encodeURIComponent(JSON.stringify({ show }))}`;
  return async () => {
    const startMs = nowMs();
    const { body } = await pool.request({ path, method: 'GET', headers: person.headers() });
    const text = await body.text();
    const tookMs = nowMs() - startMs;
    if (!text.includes(line)) throw new Error(`${path} answered ${text.slice(0, 300)}`);
    return tookMs;
  };
};

export const processOutputGroup: Group<'panel'> = {
  name: 'process-output',
  rows: {
    panel: ratio(
      'the last 1 KiB of a process at the panel, which asks once a second, against a read by a bare tRPC procedure: p50',
      'ms',
      { atMost: 1.5 },
    ),
  },
  open: async (stage) => {
    const { root, read } = folderToRead();
    const bare = await startBarePanel(stage.processes);
    await startBareDaemon(stage.processes, bare.url, root);
    const product = await startProduct(stage, { root, flags: ['--permission-shell', 'allow'] });
    const ours = outputShot(product, await startPrinting(product));
    const pair = { bare: rawShot(poolOf(bare.panelUrl), '/trpc/run', read), ours };
    await warmUp(pair, stage.scaled(500));
    return async () => ({ panel: await stage.inRow('panel', () => latencyMs(pair, stage.scaled(300))) });
  },
};
