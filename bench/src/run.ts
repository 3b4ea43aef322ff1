import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses, newFolder } from '@drawbridge/e2e/harness';
import { startBare } from './bare.ts';
import { latencyMs, perSecond, type Shot } from './load.ts';
import { startProduct } from './product.ts';
import { spreadOf } from './spread.ts';
import { pageOf, type Row } from './table.ts';

const rounds = 7;
const oneByOne = 300;
const together = 1_500;
const inFlight = 64;

interface Measure {
  name: string;
  better: Row['better'];
  take(shot: Shot): Promise<number>;
}

const measures: Measure[] = [
  {
    name: 'read 1 KiB through tRPC, one at a time: p50 of the time',
    better: 'lower',
    take: (shot) => latencyMs(shot, oneByOne),
  },
  {
    name: `read 1 KiB through tRPC, ${inFlight} in flight: calls in a second`,
    better: 'higher',
    take: (shot) => perSecond(shot, together, inFlight),
  },
];

const processes = createProcesses();
try {
  const root = newFolder('bench');
  const text = 'a line of sixteen'.repeat(64).slice(0, 1_024);
  const file = { root, filePath: 'one-kib.txt', expects: text };
  writeFileSync(join(root, file.filePath), text);

  const bare = await startBare(processes, file);
  const product = await startProduct(processes, file);
  // Compiled and connected before the first round.
  for (const shot of [bare, product]) await perSecond(shot, together, inFlight);

  const ratios = measures.map((): number[] => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [at, measure] of measures.entries()) {
      const baseline = await measure.take(bare);
      const ratio = (await measure.take(product)) / baseline;
      ratios[at]?.push(ratio);
      console.log(`round ${round}  ${measure.name}  ${ratio.toFixed(2)} x`);
    }
  }

  const rows = measures.map(({ name, better }, at) => ({
    measure: name,
    better,
    ratios: spreadOf(ratios[at] ?? []),
  }));
  const page = pageOf(rows, rounds);
  writeFileSync(join(import.meta.dirname, '../results.md'), page);
  console.log(`\n${page}`);
  await Promise.all([bare.pool.close(), product.pool.close()]);
} finally {
  await processes.stopAll();
}
