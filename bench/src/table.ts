import { cpus, totalmem } from 'node:os';
import type { Spread } from './spread.ts';

/** One measure: ratios to the baseline, round by round. `better` says which way is good. */
export interface Row {
  measure: string;
  better: 'lower' | 'higher';
  ratios: Spread;
}

const cell = (value: number) => `${value.toFixed(2)} x`;

const machine = () => {
  const processors = cpus();
  const memoryGiB = (totalmem() / 1024 ** 3).toFixed(0);
  return `${processors.length} x ${processors[0]?.model.trim() ?? 'processor'}, ${memoryGiB} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
};

/** The page that `pnpm bench` writes. */
export const pageOf = (rows: readonly Row[], rounds: number): string =>
  [
    '# Results',
    '',
    'Written by `pnpm bench`. Each figure is the product divided by a bare bridge in the same round on the same',
    'machine: `node:http`, an event stream to push, a post to answer, keep-alive sockets, no checks and no store.',
    'Load generator, server and daemon are three processes. Records, checks and the log are on.',
    '',
    `Machine: ${machine()}. Rounds: ${rounds}.`,
    '',
    '| measure | better | min | median | max |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ measure, better, ratios }) =>
        `| ${measure} | ${better} | ${cell(ratios.min)} | ${cell(ratios.median)} | ${cell(ratios.max)} |`,
    ),
    '',
  ].join('\n');
