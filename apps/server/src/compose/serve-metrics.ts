import manifest from '../../package.json' with { type: 'json' };
import { sameSecret } from '../auth/index.ts';
import type { ServerAgent } from '../agent/index.ts';
import type { Config } from '../config.ts';
import type { Channels } from '../channels/index.ts';
import { errors } from '../errors.ts';
import type { Gateway } from '../gateway/index.ts';
import { bearerOf } from '../http/index.ts';
import { byLabel, createHeldStore, createProcessMetrics, metricsText, type Metric } from '../ops/index.ts';
import type { Web } from './create-web.ts';
import type { OpenAccounts } from './open-accounts.ts';
import type { Others } from './servers/connect-servers.ts';

interface Parts {
  config: Pick<Config, 'metricsToken'>;
  opened: Pick<OpenAccounts, 'store'>;
  others: Others;
  web: Pick<Web, 'server' | 'draining' | 'measures'>;
  gateway: Pick<Gateway, 'numbers'>;
  agent: ServerAgent | null;
  channels: Pick<Channels, 'numbers'>;
}

const gauge = (name: string, help: string, values: Metric['values']): Metric => ({
  name: `drawbridge_${name}`,
  type: 'gauge',
  help,
  values,
});
const counter = (name: string, help: string, values: Metric['values']): Metric => ({
  ...gauge(`${name}_total`, help, values),
  type: 'counter',
});

const ofServer = ({ opened, others, web, gateway }: Parts): Metric[] => {
  const { openCalls, endedCalls, streams } = gateway.numbers();
  const { connections } = opened.store;
  const id = others.server?.id() ?? 'alone';
  const about = [{ labels: { version: manifest.version, server: id }, value: 1 }];
  return [
    gauge('info', 'The version, and the id among the servers of the store.', about),
    gauge('draining', 'Whether the server is being stopped.', Number(web.draining.isLeaving())),
    gauge('open_calls', 'Open calls in the memory of this server.', byLabel('state', openCalls)),
    counter('ended_calls', 'Calls that this server has ended.', byLabel('state', endedCalls)),
    gauge('machine_streams', 'Streams of machines that are open here.', streams),
    gauge(
      'unread_bytes',
      'Bytes of answers and events that clients have not read.',
      web.measures.unreadBytes(),
    ),
    gauge(
      'store_connections',
      'Connections to Postgres; waiting: statements without one.',
      connections ? byLabel('state', { ...connections() }) : null,
    ),
  ];
};

const ofBus = ({ others: { bus } }: Parts): Metric[] => {
  if (bus === null) return [];
  const lagMs = bus.lagMs();
  return [
    gauge('bus_up', 'Whether Redis answers.', Number(!bus.isAway())),
    gauge(
      'bus_lag_seconds',
      'How long the newest message to itself took.',
      lagMs === null ? null : lagMs / 1_000,
    ),
    counter('bus_outages', 'How often Redis did not answer any more.', bus.outages()),
  ];
};

const ofAgent = async ({ agent }: Parts): Promise<Metric[]> => {
  if (agent === null) return [];
  const { runStates, queueDepth } = await agent.agent.lanes.metrics();
  return [
    counter('agent_runs', 'Runs of the agent at this server, by what happened.', byLabel('event', runStates)),
    gauge('agent_waiting_messages', 'Messages that wait for a run, of all servers.', queueDepth),
  ];
};

const ofChannels = async ({ channels }: Parts): Promise<Metric[]> => {
  const all = await channels.numbers();
  const each = (value: (one: (typeof all)[number]) => number) =>
    all.map((one) => ({ labels: { channel: one.kind }, value: value(one) }));
  const replies = (['sent', 'failed'] as const).flatMap((state) =>
    all.map((one) => ({ labels: { channel: one.kind, state }, value: one[state] })),
  );
  return [
    gauge(
      'channel_up',
      'Whether a channel that is on receives messages.',
      each(({ isUp }) => Number(isUp)),
    ),
    counter(
      'channel_messages',
      'Messages of paired people.',
      each(({ received }) => received),
    ),
    counter('channel_replies', 'Messages to chats, by how they ended.', replies),
    gauge(
      'channel_waiting_messages',
      'Messages without an answer.',
      each(({ waiting }) => waiting),
    ),
  ];
};

const ofLeases = async ({ opened, others: { server } }: Parts): Promise<Metric[]> => {
  if (server === null) return [];
  const held = createHeldStore(opened.store.db);
  const jobs = await held.jobs(server.id(), server.clock.now());
  return [
    gauge('agent_threads', 'Threads of the agent that this server drives.', await held.threads(server.id())),
    gauge(
      'leases',
      'Periodic jobs that this server does for all.',
      byLabel('job', Object.fromEntries(jobs.map((job) => [job, 1]))),
    ),
  ];
};

/** `GET /metrics` for Prometheus, where `METRICS_TOKEN` is set: it is the bearer token. */
export const serveMetrics = (parts: Parts): (() => void) => {
  const { metricsToken } = parts.config;
  if (metricsToken === undefined) return () => {};
  const ofProcess = createProcessMetrics();
  parts.web.server.get('/metrics', async (request, reply) => {
    const token = bearerOf(request);
    if (token === null || !sameSecret(token, metricsToken)) throw errors.unauthorized();
    const metrics = [
      ofServer(parts),
      ofBus(parts),
      await ofAgent(parts),
      await ofChannels(parts),
      await ofLeases(parts),
      ofProcess.read(),
    ];
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(metricsText(metrics.flat()));
  });
  return ofProcess.stop;
};
