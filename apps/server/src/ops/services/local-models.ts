import type { LocalBackend, ServiceAction } from '@drawbridge/contracts/rpc/ops';
import { parseUrl, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { isLoopback } from '../../http/index.ts';
import { withoutActions, type ControlAdapter } from './adapter.ts';
import { answers, pullModel } from './ollama.ts';
import type { RunProgram } from './run-program.ts';
import { createSystemd, type Unit, type UnitService } from './systemd.ts';

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

/** A model server of this machine, as it is shown. */
interface ModelServer {
  id: Kind['id'];
  view: LocalBackend;
  /** Null for one that answers without a unit of systemd. */
  unit: UnitService | null;
  /** Where the agent's settings reach it; null where they do not. */
  origin: string | null;
}

interface Needs {
  clock: Clock;
  run: RunProgram;
  localModels(): Promise<LocalModels>;
  /** `OPS_CONTROL`. */
  hasControl: boolean;
}

/** The origin of a provider on this machine; null for any other. */
const localOrigin = (url: string | null): string | null => {
  const parsed = parseUrl(url ?? '');
  return parsed && isLoopback(parsed.hostname.replace(/^\[|\]$/g, '')) ? parsed.origin : null;
};

/** What is shown of a server that answers without a unit. */
const withoutUnit = {
  loadState: 'unknown',
  activeState: 'active',
  subState: 'unknown',
  unitFileState: 'unknown',
  description: '',
  pid: null,
  result: '',
};

const viewOf = (kind: Kind, unit: Unit | null, configured: boolean): LocalBackend => {
  const { id, provider, name } = kind;
  const named = { id, provider, name, unit: kind.unit, configured };
  if (unit === null) {
    const availableActions: ServiceAction[] = id === 'ollama' ? ['update'] : [];
    return { ...named, ...withoutUnit, statusText: 'answers', availableActions };
  }
  const { restarts: _restarts, ...shown } = unit;
  return {
    ...named,
    ...shown,
    statusText: `${unit.activeState} (${unit.subState})`,
    availableActions: unit.activeState === 'active' ? ['restart', 'stop', 'update'] : ['start'],
  };
};

/** Ollama and llama.cpp, as units of systemd or where the agent's settings reach them. */
export const createLocalModels = ({
  clock,
  run,
  localModels,
  hasControl,
}: Needs): ControlAdapter<ModelServer> => {
  const systemd = createSystemd(
    run,
    kinds.map(({ unit }) => unit),
  );
  const kindAt = async (origin: string): Promise<Kind | null> => {
    for (const kind of kinds) if (await answers(clock, origin + kind.probe)) return kind;
    return null;
  };

  const pull = async ({ origin }: ModelServer, onProgress: (line: string) => void) => {
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
      const origin = localOrigin((await localModels()).url);
      const units = await systemd.list();
      const answering = origin === null ? null : await kindAt(origin);
      const services = kinds.flatMap((kind, at): ModelServer[] => {
        const unit = units.services[at];
        const isUsed = answering === kind || (origin !== null && parseUrl(origin)?.port === kind.port);
        if (!unit?.unit && answering !== kind) return [];
        const view = viewOf(kind, unit?.unit ?? null, isUsed);
        return [
          {
            id: kind.id,
            unit: unit?.unit ? unit : null,
            origin: isUsed ? origin : null,
            view: hasControl ? view : withoutActions(view),
          },
        ];
      });
      if (services.length > 0 || units.reason === undefined) return { services };
      return { services, reason: `${units.reason}, and no local model server answers` };
    },
    control: async (server, action, onProgress) => {
      if (action === 'update' && server.id === 'ollama') return pull(server, onProgress);
      if (server.unit === null)
        throw errors.notAvailable({ message: 'It runs here without a unit of systemd' });
      return systemd.control(server.unit, action, onProgress);
    },
  };
};
