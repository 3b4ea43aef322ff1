import type { LocalBackend, ServiceAction } from '@drawbridge/contracts/rpc/ops';
import { parseUrl, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { isLoopback } from '../../http/index.ts';
import { answers, pullModel } from './ollama.ts';
import type { ProgramResult } from './run-program.ts';
import type { Systemd, Unit } from './systemd.ts';

/** Models of the agent's settings, by the name that their server knows. */
export interface LocalModels {
  /** Where they are served; null without a model. */
  url: string | null;
  models: string[];
}

const kinds = [
  {
    id: 'ollama',
    provider: 'ollama',
    name: 'Ollama',
    unit: 'ollama.service',
    port: '11434',
    probe: '/api/version',
  },
  {
    id: 'llamacpp',
    provider: 'llamacpp',
    name: 'llama.cpp',
    unit: 'llama-server.service',
    port: '8080',
    probe: '/health',
  },
] as const;
type Kind = (typeof kinds)[number];

interface Needs {
  clock: Clock;
  systemd: Systemd;
  localModels(): Promise<LocalModels>;
  /** `OPS_CONTROL`. */
  hasControl: boolean;
}

interface Found {
  kind: Kind;
  /** Null for one that answers without a unit of systemd. */
  unit: Unit | null;
  /** Where the agent's settings reach it; null where they do not. */
  origin: string | null;
  view: LocalBackend;
}

/** The origin of a provider on this machine; null for any other. */
const localOrigin = (url: string | null): string | null => {
  const parsed = parseUrl(url ?? '');
  return parsed && isLoopback(parsed.hostname.replace(/^\[|\]$/g, '')) ? parsed.origin : null;
};

const actionsOf = ({ activeState }: Unit): ServiceAction[] =>
  activeState === 'active' ? ['restart', 'stop', 'update'] : ['start'];

const ofUnit = (
  kind: Kind,
  unit: Unit,
  { configured, hasControl }: Record<'configured' | 'hasControl', boolean>,
) => {
  const { scope: _scope, restarts: _restarts, ...shown } = unit;
  const { id, provider, name } = kind;
  return {
    id,
    provider,
    name,
    configured,
    ...shown,
    statusText: `${unit.activeState} (${unit.subState})`,
    availableActions: hasControl ? actionsOf(unit) : [],
  };
};

const ofProbe = ({ id, provider, name, unit }: Kind, hasControl: boolean): LocalBackend => ({
  id,
  provider,
  name,
  unit,
  configured: true,
  loadState: 'unknown',
  activeState: 'active',
  subState: 'unknown',
  unitFileState: 'unknown',
  description: '',
  pid: null,
  result: '',
  statusText: 'answers',
  availableActions: hasControl && id === 'ollama' ? ['update'] : [],
});

const requireDone = (result: ProgramResult) => {
  if (result.kind === 'timed-out') throw errors.timedOut({ message: 'systemctl did not finish within 60 s' });
  if (result.kind === 'missing' || result.code !== 0)
    throw errors.notAvailable({ message: 'systemctl refused the action' });
};

/** Ollama and llama.cpp as services of this machine. */
export const createLocalBackends = ({ clock, systemd, localModels, hasControl }: Needs) => {
  const kindAt = async (origin: string): Promise<Kind | null> => {
    for (const kind of kinds) if (await answers(clock, origin + kind.probe)) return kind;
    return null;
  };

  const find = async (): Promise<{ found: Found[]; hasSystemd: boolean }> => {
    const origin = localOrigin((await localModels()).url);
    const units = await Promise.all(
      kinds.map(async (kind) => ({ kind, found: await systemd.find(kind.unit) })),
    );
    const answering = origin === null ? null : await kindAt(origin);
    const found = units.flatMap(({ kind, found: one }): Found[] => {
      const isUsed = answering === kind || (origin !== null && parseUrl(origin)?.port === kind.port);
      const used = isUsed ? origin : null;
      if (one.kind === 'found') {
        const view = ofUnit(kind, one.unit, { configured: isUsed, hasControl });
        return [{ kind, unit: one.unit, origin: used, view }];
      }
      return answering === kind ? [{ kind, unit: null, origin: used, view: ofProbe(kind, hasControl) }] : [];
    });
    return { found, hasSystemd: units.some(({ found: one }) => one.kind !== 'unavailable') };
  };

  const require = async (id: string): Promise<Found> => {
    const one = (await find()).found.find(({ kind }) => kind.id === id);
    if (!one) throw errors.notFound();
    return one;
  };

  const update = async ({ origin }: Found, onProgress: (line: string) => void) => {
    const { models } = await localModels();
    if (origin === null || models.length === 0)
      throw errors.notAvailable({ message: "The agent's settings name no model of Ollama" });
    for (const model of models) {
      const pulled = await pullModel(clock, { origin, model }, onProgress);
      if (pulled === 'timed-out') throw errors.timedOut({ message: 'Ollama did not finish within 10 min' });
      if (pulled === 'failed') throw errors.notAvailable({ message: 'Ollama could not pull the model' });
    }
  };

  return {
    list: async () => {
      const { found, hasSystemd } = await find();
      const backends = found.map(({ view }) => view);
      const available = hasSystemd || backends.length > 0;
      return {
        backends,
        available,
        ...(!available && { reason: 'systemd is not running here, and no local model server answers' }),
      };
    },
    /** Throws `notFound` for an id that `list` does not have, `notAvailable`, `timedOut`. */
    control: async (id: string, action: ServiceAction, onProgress: (line: string) => void) => {
      const one = await require(id);
      const isPull = action === 'update' && one.kind.id === 'ollama';
      if (isPull) await update(one, onProgress);
      else if (one.unit === null)
        throw errors.notAvailable({ message: 'It runs here without a unit of systemd' });
      else requireDone(await systemd.control(one.unit, action === 'update' ? 'restart' : action));
      const { view } = await require(id);
      return { backend: id, action, status: view };
    },
  };
};
