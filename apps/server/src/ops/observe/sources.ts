import type { DockerDependency, ObservabilitySource } from '@drawbridge/contracts/rpc/ops';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { LogWindow, ServiceAdapter, ServiceLog } from '../services/adapter.ts';
import type { UnitService } from '../services/systemd.ts';

/** State: 0 unknown, 1 stopped, 2 starting, 3 running; health: 0 unknown, 1 bad, 2 good. */
interface Codes {
  stateCode: 0 | 1 | 2 | 3;
  healthCode: 0 | 1 | 2;
}

/** One sample; errors and restarts since the source started, of which a series stores the difference. */
export interface SourceState extends Codes {
  errors: number;
  restarts: number;
}

export interface Source {
  view: ObservabilitySource;
  state: SourceState;
  /** Null if it cannot be read. Throws `notAvailable` for a source without one. */
  log(window: LogWindow): Promise<ServiceLog | null>;
}

export interface SourceNeeds {
  machines: Pick<Gateway['machines'], 'list' | 'view'>;
  systemd: ServiceAdapter<UnitService>;
  docker: ServiceAdapter<DockerDependency>;
  /** This process's own log. */
  own: { errors(): number; log(window: LogWindow): ServiceLog };
}

const stateOfUnit = (activeState: string): Codes => {
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

const stateOfService = ({ state, health }: DockerDependency): Codes => {
  const codes = { running: 3, restarting: 2, created: 2, paused: 1, exited: 1, dead: 1, absent: 1 } as const;
  const stateCode = state in codes ? codes[state as keyof typeof codes] : 0;
  if (health === 'unhealthy') return { stateCode, healthCode: 1 };
  return { stateCode, healthCode: health === 'healthy' || (health === 'none' && stateCode === 3) ? 2 : 0 };
};

const statusNames = ['unknown', 'stopped', 'starting', 'running'] as const;

interface Described extends Pick<ObservabilitySource, 'id' | 'name' | 'kind' | 'runtime'> {
  state: Codes & Partial<SourceState>;
  /** Left out for a source without a log. */
  log?: Source['log'];
  /** Whether it is there; true when left out. */
  isFound?: boolean;
}

const noLog = async (): Promise<never> => {
  throw errors.notAvailable({ message: 'The log of a machine stays on the machine' });
};

const toSource = ({ state, log, isFound = true, ...named }: Described): Source => ({
  view: {
    ...named,
    status: statusNames[state.stateCode],
    graphCapable: isFound,
    logCapable: isFound && log !== undefined,
  },
  state: { errors: 0, restarts: 0, ...state },
  log: log ?? noLog,
});

const server = ({ own }: SourceNeeds): Source =>
  toSource({
    id: 'process:server',
    name: 'Drawbridge server',
    kind: 'process',
    runtime: 'process',
    state: { stateCode: 3, healthCode: 2, errors: own.errors() },
    log: async (window) => own.log(window),
  });

const connectionCodes = { online: 3, grace: 2, offline: 1 } as const;

const daemons = async ({ machines }: SourceNeeds, userId: string): Promise<Source[]> =>
  Promise.all(
    (await machines.list(userId)).map(async (ref) => {
      const { name, status } = await machines.view(ref);
      const stateCode = connectionCodes[status().state];
      const state: Codes = { stateCode, healthCode: stateCode === 3 ? 2 : 0 };
      return toSource({ id: `daemon:${ref.machineId}`, name, kind: 'daemon', runtime: 'daemon', state });
    }),
  );

const units = async ({ systemd }: SourceNeeds): Promise<Source[]> =>
  (await systemd.list()).services.map((service) => {
    const { id, scope, unit } = service;
    const kind = `systemd_${scope}`;
    return toSource({
      id: `systemd:${id}`,
      name: unit?.description || id,
      kind,
      runtime: kind,
      state: { ...stateOfUnit(unit?.activeState ?? 'unknown'), restarts: unit?.restarts ?? 0 },
      log: (window) => systemd.logs(service, window),
      isFound: unit !== null,
    });
  });

const services = async ({ docker }: SourceNeeds): Promise<Source[]> =>
  (await docker.list()).services.map((service) =>
    toSource({
      id: `docker:${service.id}`,
      name: service.id,
      kind: 'docker_dependency',
      runtime: 'docker_compose',
      state: stateOfService(service),
      log: (window) => docker.logs(service, window),
    }),
  );

/**
 * What can be watched here: the server, the owner's machines, units and services of the configuration.
 * `userId`: the owner's.
 */
export const createSources =
  (needs: SourceNeeds) =>
  async (userId: string): Promise<Source[]> => {
    const [ofUser, ofUnits, ofServices] = await Promise.all([
      daemons(needs, userId),
      units(needs),
      services(needs),
    ]);
    return [server(needs), ...ofUser, ...ofUnits, ...ofServices];
  };

export type Sources = ReturnType<typeof createSources>;
