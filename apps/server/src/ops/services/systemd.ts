import { jsonOf } from '@drawbridge/kit';
import { z } from 'zod';
import { levelOf, type LogLine } from './log-line.ts';
import type { RunProgram } from './run-program.ts';

export const unitScopes = ['user', 'system'] as const;
export type UnitScope = (typeof unitScopes)[number];

/** A unit that systemd has loaded. */
export interface Unit {
  scope: UnitScope;
  unit: string;
  loadState: string;
  activeState: string;
  subState: string;
  unitFileState: string;
  description: string;
  pid: number | null;
  result: string;
  restarts: number;
}

/** `absent`: systemd has no such unit. `unavailable`: systemd is not there, or not reachable. */
export type FoundUnit = { kind: 'found'; unit: Unit } | { kind: 'absent' } | { kind: 'unavailable' };

const properties = [
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'Description',
  'MainPID',
  'Result',
  'NRestarts',
];

const controlMs = 60_000;

const scopeArgs = (scope: UnitScope) => (scope === 'user' ? ['--user'] : []);

const propertiesOf = (stdout: string) =>
  new Map(
    stdout.split('\n').map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, Math.max(0, at)), line.slice(at + 1)];
    }),
  );

const toUnit = (scope: UnitScope, name: string, stdout: string): Unit | null => {
  const values = propertiesOf(stdout);
  const text = (key: string) => values.get(key) ?? '';
  if (text('LoadState') !== 'loaded') return null;
  return {
    scope,
    unit: name,
    loadState: text('LoadState'),
    activeState: text('ActiveState'),
    subState: text('SubState'),
    unitFileState: text('UnitFileState'),
    description: text('Description'),
    pid: Number(text('MainPID')) || null,
    result: text('Result'),
    restarts: Number(text('NRestarts')) || 0,
  };
};

/** A message that is not valid UTF-8 comes as a list of bytes. */
const journalEntry = z.object({
  __REALTIME_TIMESTAMP: z.string(),
  PRIORITY: z.string().optional(),
  MESSAGE: z
    .union([z.string(), z.array(z.number()).transform((bytes) => Buffer.from(bytes).toString('utf8'))])
    .nullish(),
});

const toLine = (json: string): LogLine[] => {
  const { data } = journalEntry.safeParse(jsonOf(json));
  if (!data) return [];
  const priority = Number(data.PRIORITY ?? '6');
  return [
    {
      ts: Math.floor(Number(data.__REALTIME_TIMESTAMP) / 1_000),
      level: levelOf(priority),
      text: data.MESSAGE ?? '',
    },
  ];
};

/** systemd of this machine; unit names come from the configuration alone. */
export const createSystemd = (run: RunProgram) => {
  const show = async (scope: UnitScope, name: string): Promise<FoundUnit> => {
    const args = [...scopeArgs(scope), 'show', name, '--no-pager', `--property=${properties.join(',')}`];
    const shown = await run({ name: 'systemctl', args });
    if (shown.kind !== 'ended' || shown.code !== 0) return { kind: 'unavailable' };
    const unit = toUnit(scope, name, shown.stdout);
    return unit ? { kind: 'found', unit } : { kind: 'absent' };
  };
  return {
    /** The user's unit, else the system's. */
    find: async (name: string): Promise<FoundUnit> => {
      const tried: FoundUnit[] = [];
      for (const scope of unitScopes) {
        const found = await show(scope, name);
        if (found.kind === 'found') return found;
        tried.push(found);
      }
      return tried.find(({ kind }) => kind === 'absent') ?? { kind: 'unavailable' };
    },
    control: ({ scope, unit }: Unit, action: 'start' | 'stop' | 'restart') =>
      run({ name: 'systemctl', args: [...scopeArgs(scope), action, unit], timeoutMs: controlMs }),
    /** The newest lines, oldest first; null if the journal cannot be read. */
    log: async (
      { scope, unit }: Pick<Unit, 'scope' | 'unit'>,
      { lines, sinceSeconds }: { lines: number; sinceSeconds: number },
    ): Promise<{ lines: LogLine[]; isCut: boolean } | null> => {
      const read = await run({
        name: 'journalctl',
        args: [
          `--${scope === 'user' ? 'user-' : ''}unit=${unit}`,
          '--output=json',
          `--lines=${lines}`,
          `--since=-${sinceSeconds}s`,
          '--no-pager',
          '--quiet',
        ],
      });
      if (read.kind !== 'ended' || (read.code !== 0 && !read.isCut)) return null;
      return { lines: read.stdout.split('\n').flatMap(toLine), isCut: read.isCut };
    },
  };
};

export type Systemd = ReturnType<typeof createSystemd>;
