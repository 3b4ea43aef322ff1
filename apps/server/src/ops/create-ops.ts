import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../gateway/index.ts';
import { createAnalytics } from './analytics.ts';
import type { OpsStore } from './ops.store.ts';
import type { OpsConfig } from './config-schema.ts';
import { composeFile } from './services/compose-file.ts';
import { createDocker } from './services/docker.ts';
import { createLocalModels, type LocalModels } from './services/local-models.ts';
import type { LogRing } from './observe/log-ring.ts';
import { summaryOf, type ModelCalls } from './model-calls.ts';
import type { RunProgram } from './services/run-program.ts';
import { createSeries } from './observe/series.ts';
import { createServiceLogs } from './observe/service-logs.ts';
import { createSources } from './observe/sources.ts';
import { createSystemd } from './services/systemd.ts';

export interface OpsNeeds {
  clock: Clock;
  config: OpsConfig & { composeFolders: readonly string[] };
  store: OpsStore;
  run: RunProgram;
  ring: LogRing;
  modelCalls: ModelCalls;
  machines: Pick<Gateway['machines'], 'list' | 'view'>;
  localModels(): Promise<LocalModels>;
  ownerId(): Promise<string | null>;
  /** Hides secrets of this server in a text. */
  scrub(text: string): string;
  onError(error: unknown): void;
}

/** Numbers about this server and its users, and the services of this machine. */
export const createOps = (needs: OpsNeeds) => {
  const { clock, config, store, run, ring, modelCalls, machines, ownerId, onError } = needs;
  const { opsControl: hasControl, opsUnits: units, opsComposeFile: given, composeFolders: folders } = config;
  const startedAt = clock.now();
  const file = () => composeFile({ given, folders, uid: process.getuid?.() });
  const docker = createDocker({ run, file, hasControl });
  const models = createLocalModels({ clock, run, localModels: needs.localModels, hasControl });
  const sources = createSources({
    machines,
    systemd: createSystemd(run, units),
    docker,
    own: {
      errors: ring.errors,
      log: ({ lines, sinceSeconds }) => ring.read(clock.now() - sinceSeconds * 1_000, lines),
    },
  });
  const series = createSeries({ clock, sources, ownerId, onError });

  /** Calls of models for one user, or of the whole server for null. */
  const callsOf = async (userId: string | null) => {
    const calls = modelCalls.all();
    if (userId === null || calls.length === 0) return calls;
    const runIds = calls.flatMap(({ runId }) => runId ?? []);
    const own = await store.ownRuns(userId, [...new Set(runIds)]);
    return calls.filter(({ runId }) => runId !== null && own.has(runId));
  };

  return {
    hasControl,
    analytics: createAnalytics({ clock, store }),
    countThreads: store.countThreads,
    /** Since the start of this server; of one user, or of all for null. */
    metrics: async (userId: string | null) => ({
      messagesProcessed: await store.messagesOfPeople(userId, startedAt),
      uptime: Math.floor((clock.now() - startedAt) / 1_000),
      modelCalls: summaryOf(await callsOf(userId)),
    }),
    services: { docker, models },
    /** For the owner. */
    sources: async (userId: string) => ({ sources: (await sources(userId)).map(({ view }) => view) }),
    series: series.read,
    logs: createServiceLogs({ clock, sources, scrub: needs.scrub }),
    /** Takes the samples of `series`; the returned function stops it. */
    start: series.start,
  };
};

export type Ops = ReturnType<typeof createOps>;
