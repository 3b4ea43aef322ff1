import { cpus, totalmem } from 'node:os';
import type { Figure, RowText } from './group.ts';
import { middleOf, spreadOf } from './spread.ts';

/** A row with its figures, round by round; `problem` where it could not be measured. */
export interface Row extends RowText {
  figures: Figure[];
  problem?: string;
}

const valueOf = ({ ours, bare }: Figure) => ours / (bare ?? 1);
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));

/** How many times the bare one, or the number alone. */
const cell = (row: Row, value: number) => `${value.toFixed(2)} ${row.kind === 'ratio' ? 'x' : row.unit}`;

const goalCell = (row: Row) =>
  'atMost' in row.goal ? `<= ${cell(row, row.goal.atMost)}` : `>= ${cell(row, row.goal.atLeast)}`;

const isMet = ({ goal }: Row, median: number) =>
  'atMost' in goal ? median <= goal.atMost : median >= goal.atLeast;

/** A row: measure, goal, min, median, max, whether the median meets the goal, the numbers of the ratio. */
export const cellsOf = (row: Row): string[] => {
  if (row.problem !== undefined) return [row.measure, goalCell(row), '', '', '', row.problem, ''];
  const { min, median, max } = spreadOf(row.figures.map(valueOf));
  const ours = short(middleOf(row.figures.map((figure) => figure.ours)));
  const bare = short(middleOf(row.figures.map((figure) => figure.bare ?? Number.NaN)));
  return [
    row.measure,
    goalCell(row),
    ...[min, median, max].map((value) => cell(row, value)),
    isMet(row, median) ? 'yes' : 'no',
    row.kind === 'ratio' ? `${ours} / ${bare} ${row.unit}` : '',
  ];
};

const machine = () => {
  const processors = cpus();
  const memoryGiB = (totalmem() / 1024 ** 3).toFixed(0);
  return `${processors.length} x ${processors[0]?.model.trim() ?? 'processor'}, ${memoryGiB} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
};

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

export const tableOf = (rows: readonly Row[]): string[] => [
  line(['measure', 'goal', 'min', 'median', 'max', 'met', 'ours / bare']),
  '|---|---|---|---|---|---|---|',
  ...rows.map((row) => line(cellsOf(row))),
];

/** The page that `pnpm bench` writes. */
export const pageOf = (rows: readonly Row[]): string => {
  const rounds = Math.min(...rows.filter((row) => row.figures.length > 0).map((row) => row.figures.length));
  return [
    '# Results',
    '',
    'Written by `pnpm bench`. Each ratio is the product divided by something bare in the same round on the same machine:',
    'a `node:http` bridge with an event stream to push, a post to answer and keep-alive sockets, no checks and no store,',
    'and where it says so a bare tRPC procedure or event stream on Fastify. Our daemon has a WebSocket to its server, the',
    'bare one the event stream. Load generator, server and daemon are three processes. Records, checks and the log are on.',
    'The two take turns within a round. `met` is about the median; the last column has the medians that a ratio is made of.',
    '',
    `Machine: ${machine()}. Rounds: at least ${rounds}.`,
    '',
    ...tableOf(rows),
    '',
    'A sandboxed command in two versions, reads beside commands, hosts of a command and processes: [sandbox.md](sandbox.md).',
    'Processor time of one call, before and after, and what it does: [cpu.md](cpu.md).',
    'A flood in a chat channel, and what it costs another person: [channels.md](channels.md).',
    'Several servers: [servers.md](servers.md).',
    '',
  ].join('\n');
};
