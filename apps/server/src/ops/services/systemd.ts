import type { ServiceLogLine } from '@drawbridge/contracts/rpc/ops';
import { jsonOf } from '@drawbridge/kit';
import { z } from 'zod';
import { logIn, requireDone, type ServiceAdapter } from './adapter.ts';
import type { RunProgram } from './run-program.ts';

const scopes = ['user', 'system'] as const;
type UnitScope = (typeof scopes)[number];

/** What systemd says of a unit that it has loaded. */
export interface Unit {
  loadState: string;
  activeState: string;
  subState: string;
  unitFileState: string;
  description: string;
  pid: number | null;
  result: string;
  restarts: number;
}

/** A unit by its name; `unit` is null where systemd has none, or is not there. */
export interface UnitService {
  id: string;
  scope: UnitScope;
  unit: Unit | null;
}

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

const toUnit = (stdout: string): Unit | null => {
  const values = new Map(
    stdout.split('\n').map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, Math.max(0, at)), line.slice(at + 1)];
    }),
  );
  const text = (key: string) => values.get(key) ?? '';
  if (text('LoadState') !== 'loaded') return null;
  return {
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
  PRIORITY: z.string().default('6').transform(Number),
  MESSAGE: z
    .union([z.string(), z.array(z.number()).transform((bytes) => Buffer.from(bytes).toString('utf8'))])
    .nullish(),
});

/** The level of a priority of syslog. */
const levelOf = (priority: number): ServiceLogLine['level'] => {
  if (priority <= 3) return 'error';
  if (priority === 4) return 'warn';
  return priority <= 6 ? 'info' : 'debug';
};

const toLine = (json: string): ServiceLogLine | null => {
  const { data } = journalEntry.safeParse(jsonOf(json));
  if (!data) return null;
  const ts = Math.floor(Number(data.__REALTIME_TIMESTAMP) / 1_000);
  return { ts, level: levelOf(data.PRIORITY), text: data.MESSAGE ?? '' };
};

/** Units of systemd by name: the user's, else the system's. */
export const createSystemd = (run: RunProgram, names: readonly string[]): ServiceAdapter<UnitService> => {
  const systemctl = (scope: UnitScope, args: readonly string[], timeoutMs?: number) =>
    run({ name: 'systemctl', args: [...(scope === 'user' ? ['--user'] : []), ...args], timeoutMs });

  /** `isThere`: whether systemd has answered. */
  const find = async (id: string): Promise<{ service: UnitService; isThere: boolean }> => {
    let isThere = false;
    for (const scope of scopes) {
      const args = ['show', id, '--no-pager', `--property=${properties.join(',')}`];
      const shown = await systemctl(scope, args);
      if (shown.kind !== 'ended' || shown.code !== 0) continue;
      isThere = true;
      const unit = toUnit(shown.stdout);
      if (unit) return { service: { id, scope, unit }, isThere };
    }
    return { service: { id, scope: 'system', unit: null }, isThere };
  };

  return {
    list: async () => {
      const found = await Promise.all(names.map(find));
      return {
        services: found.map(({ service }) => service),
        ...(!found.some(({ isThere }) => isThere) && { reason: 'systemd is not running here' }),
      };
    },
    control: async ({ id, scope }, action) => {
      const verb = action === 'update' ? 'restart' : action;
      requireDone(await systemctl(scope, [verb, id], controlMs), 'systemctl', 'within 60 s');
    },
    logs: async ({ id, scope }, { lines, sinceSeconds }) => {
      const unit = `--${scope === 'user' ? 'user-' : ''}unit=${id}`;
      const range = [`--lines=${lines}`, `--since=-${sinceSeconds}s`];
      const args = [unit, '--output=json', ...range, '--no-pager', '--quiet'];
      return logIn(await run({ name: 'journalctl', args }), toLine);
    },
  };
};
