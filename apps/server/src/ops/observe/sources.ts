import type { ObservabilitySource } from '@drawbridge/contracts/rpc/ops';
import type { Gateway } from '../../gateway/index.ts';
import type { Compose, ComposeService } from '../services/docker.ts';
import type { Systemd, UnitScope } from '../services/systemd.ts';

/** What a source stands for. */
type SourceOf =
  | { kind: 'process' }
  | { kind: 'daemon' }
  | { kind: 'systemd'; scope: UnitScope; unit: string }
  | { kind: 'docker'; service: string };

/** What one sample of a source says. State: 0 unknown, 1 stopped, 2 starting, 3 running; health: 0 to 2. */
export interface SourceState {
  stateCode: 0 | 1 | 2 | 3;
  healthCode: 0 | 1 | 2;
  /** Since the source started; samples store the difference. */
  errors: number;
  restarts: number;
}

export interface Source {
  of: SourceOf;
  view: ObservabilitySource;
  state: SourceState;
}

interface Needs {
  machines: Pick<Gateway['machines'], 'list' | 'view'>;
  systemd: Systemd;
  compose: Compose;
  units: readonly string[];
  /** Errors in the server's log since its start. */
  errors(): number;
}

const quiet = { errors: 0, restarts: 0 } as const;

const stateOfUnit = (activeState: string): Pick<SourceState, 'stateCode' | 'healthCode'> => {
  switch (activeState) {
    case 'active':
      return { stateCode: 3, healthCode: 2 };
    case 'activating':
    case 'reloading':
      return { stateCode: 2, healthCode: 0 };
    case 'failed':
      return { stateCode: 1, healthCode: 1 };
    case 'inactive':
    case 'deactivating':
      return { stateCode: 1, healthCode: 0 };
    default:
      return { stateCode: 0, healthCode: 0 };
  }
};

const stateOfService = ({ state, health }: ComposeService): Pick<SourceState, 'stateCode' | 'healthCode'> => {
  const codes = { running: 3, restarting: 2, created: 2, paused: 1, exited: 1, dead: 1, absent: 1 } as const;
  const stateCode = state in codes ? codes[state as keyof typeof codes] : 0;
  if (health === 'unhealthy') return { stateCode, healthCode: 1 };
  return { stateCode, healthCode: health === 'healthy' || (health === 'none' && stateCode === 3) ? 2 : 0 };
};

const statusNames = ['unknown', 'stopped', 'starting', 'running'] as const;

const server = ({ errors }: Needs): Source => ({
  of: { kind: 'process' },
  view: {
    id: 'process:server',
    name: 'Drawbridge server',
    kind: 'process',
    runtime: 'process',
    status: 'running',
    graphCapable: true,
    logCapable: true,
  },
  state: { stateCode: 3, healthCode: 2, errors: errors(), restarts: 0 },
});

const connectionCodes = { online: 3, grace: 2, offline: 1 } as const;

const daemons = async ({ machines }: Needs, userId: string): Promise<Source[]> =>
  Promise.all(
    (await machines.list(userId)).map(async (ref): Promise<Source> => {
      const { name, status } = await machines.view(ref);
      const stateCode = connectionCodes[status().state];
      return {
        of: { kind: 'daemon' },
        view: {
          id: `daemon:${ref.machineId}`,
          name,
          kind: 'daemon',
          runtime: 'daemon',
          status: statusNames[stateCode],
          graphCapable: true,
          logCapable: false,
        },
        state: { stateCode, healthCode: stateCode === 3 ? 2 : 0, ...quiet },
      };
    }),
  );

const unitSource = async ({ systemd }: Needs, name: string): Promise<Source> => {
  const found = await systemd.find(name);
  const unit = found.kind === 'found' ? found.unit : null;
  const scope = unit?.scope ?? 'system';
  const codes = stateOfUnit(unit?.activeState ?? 'unknown');
  const kind = `systemd_${scope}`;
  return {
    of: { kind: 'systemd', scope, unit: name },
    view: {
      id: `systemd:${name}`,
      name: unit?.description || name,
      kind,
      runtime: kind,
      status: statusNames[codes.stateCode],
      graphCapable: unit !== null,
      logCapable: unit !== null,
    },
    state: { ...codes, errors: 0, restarts: unit?.restarts ?? 0 },
  };
};

const services = async ({ compose }: Needs): Promise<Source[]> => {
  const listed = await compose.services();
  if (listed.kind === 'unavailable') return [];
  return listed.services.map((service) => {
    const codes = stateOfService(service);
    return {
      of: { kind: 'docker', service: service.service },
      view: {
        id: `docker:${service.service}`,
        name: service.service,
        kind: 'docker_dependency',
        runtime: 'docker_compose',
        status: statusNames[codes.stateCode],
        graphCapable: true,
        logCapable: true,
      },
      state: { ...codes, ...quiet },
    };
  });
};

/**
 * What can be watched here: the server, the owner's machines, units and services of the configuration.
 * `userId`: the owner's.
 */
export const createSources =
  (needs: Needs) =>
  async (userId: string): Promise<Source[]> => {
    const [ofUser, ofUnits, ofServices] = await Promise.all([
      daemons(needs, userId),
      Promise.all(needs.units.map((name) => unitSource(needs, name))),
      services(needs),
    ]);
    return [server(needs), ...ofUser, ...ofUnits, ...ofServices];
  };

export type Sources = ReturnType<typeof createSources>;
