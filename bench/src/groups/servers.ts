import { connectDaemon, until } from '@drawbridge/e2e/harness';
import { startScriptedModel } from '@drawbridge/e2e/scripted-model';
import { poolOf, type Asked } from '../bare.ts';
import { goesTo, startCluster, type Cluster } from '../cluster.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Figure, type Group, type Stage } from '../group.ts';
import { latencyMs, nowMs, warmUp, type Pair, type Shot } from '../load.ts';
import { middleOf } from '../spread.ts';

const metricsToken = 'a-token-of-the-bench-0123456789-0123456789';
const servers = 3;

/** A model that counts requests for a message with "wait"; its answer to every other one of them never ends. */
const startModel = async (stage: Stage) => {
  const times = { asked: 0, waiting: 0 };
  const model = await startScriptedModel(({ tools, body }) => {
    // A title is asked for beside the run.
    if (tools.length === 0) return { text: 'one' };
    times.asked = nowMs();
    const waits = JSON.stringify(body.messages.at(-1)).includes('wait');
    if (waits) times.waiting += 1;
    return waits && times.waiting % 2 === 1 ? { text: 'one', end: 'silent' } : { text: 'one' };
  });
  stage.whenOver(model.close);
  return { url: model.url, times };
};

/** The server that has the stream of the only machine. */
const serverOfStream = (cluster: Cluster): Promise<number> =>
  until(async () => {
    for (let server = 0; server < servers; server += 1) {
      const headers = { ...goesTo(server), authorization: `Bearer ${metricsToken}` };
      const text = await (await fetch(`${cluster.url}/metrics`, { headers })).text();
      if (/^drawbridge_machine_streams 1$/m.test(text)) return { server };
    }
    return null;
  }).then(({ server }) => server);

const shotAt = (cluster: Cluster, server: number, { name, arguments: given, expects }: Asked): Shot => ({
  pool: poolOf(cluster.url),
  path: '/trpc/calls.run',
  headers: { 'content-type': 'application/json', ...cluster.at(server).headers(), ...goesTo(server) },
  body: JSON.stringify({ name, arguments: given }),
  expects,
});

/** A panel's subscription at that server; the result waits for the next call that succeeds, and gives the time. */
const openPanel = async (stage: Stage, cluster: Cluster, server: number) => {
  let heard: (ms: number) => void = () => {};
  await new Promise<void>((resolve, reject) => {
    const { unsubscribe } = cluster.at(server).api.live.onEvent.subscribe(undefined, {
      onStarted: () => resolve(),
      onData: ({ data }) => {
        if (data.topic === 'calls' && JSON.stringify(data.event).includes('"succeeded"')) heard(nowMs());
      },
      onError: reject,
    });
    stage.whenOver(unsubscribe);
  });
  return () => new Promise<number>((resolve) => (heard = resolve));
};

/** Milliseconds from the start of a call until its end is seen by a panel of the same server, and of another. */
const panelFigure = async (stage: Stage, cluster: Cluster, read: Asked) => {
  const next = { bare: await openPanel(stage, cluster, 0), ours: await openPanel(stage, cluster, 1) };
  const { expects: _, ...call } = read;
  return async (rounds: number): Promise<Figure> => {
    const tookMs = { ours: new Array<number>(), bare: new Array<number>() };
    for (let n = 0; n < rounds; n += 1) {
      const heard = [next.bare(), next.ours()] as const;
      const startMs = nowMs();
      await cluster.at(0).api.calls.run.mutate(call);
      const [bare, ours] = await Promise.all(heard);
      tookMs.bare.push(bare - startMs);
      tookMs.ours.push(ours - startMs);
    }
    return { ours: middleOf(tookMs.ours), bare: middleOf(tookMs.bare) };
  };
};

const say = async (cluster: Cluster, thread: string, message: string): Promise<void> => {
  const path = `/api/v1/instance-ai/chat/${thread}`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ message });
  const response = await cluster.at(0).fetch(path, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
};

/** A reader of a thread at that server: when the next text of the model has come, and the end of its run. */
const openReader = async (
  stage: Stage,
  cluster: Cluster,
  { server, thread }: { server: number; thread: string },
) => {
  let text = Promise.withResolvers<number>();
  let end = Promise.withResolvers<number>();
  await new Promise<void>((resolve, reject) => {
    const { unsubscribe } = cluster.at(server).api.agent.events.subscribe(
      { threadId: thread },
      {
        onStarted: () => resolve(),
        onData: (frame) => {
          const json = JSON.stringify(frame);
          // What is short may be whole before its first part has reached another server.
          if (json.includes('"text-delta"') || json.includes('"text-block"')) text.resolve(nowMs());
          if (json.includes('"run-finish"')) end.resolve(nowMs());
        },
        onError: reject,
      },
    );
    stage.whenOver(unsubscribe);
  });
  return () => {
    text = Promise.withResolvers<number>();
    end = Promise.withResolvers<number>();
    return { text: text.promise, end: end.promise };
  };
};

/** Milliseconds from a message until the first text of its run is at a reader of the same server, and of another. */
const firstTextFigure = async (stage: Stage, cluster: Cluster) => {
  const thread = 'first-text';
  // A thread has readers from its first message on.
  await say(cluster, thread, 'hello');
  const next = {
    bare: await openReader(stage, cluster, { server: 0, thread }),
    ours: await openReader(stage, cluster, { server: 1, thread }),
  };
  return async (rounds: number): Promise<Figure> => {
    const tookMs = { ours: new Array<number>(), bare: new Array<number>() };
    for (let n = 0; n < rounds; n += 1) {
      const heard = [next.bare(), next.ours()] as const;
      const startMs = nowMs();
      await say(cluster, thread, 'hello');
      const [bare, ours] = await Promise.all(heard.map(({ text }) => text));
      await Promise.all(heard.map(({ end }) => end));
      tookMs.bare.push((bare ?? Number.NaN) - startMs);
      tookMs.ours.push((ours ?? Number.NaN) - startMs);
    }
    return { ours: middleOf(tookMs.ours), bare: middleOf(tookMs.bare) };
  };
};

type Model = Awaited<ReturnType<typeof startModel>>;

/** From the kill of the server that drives a run until another one asks the model for it, in seconds. */
const killedFigure = async (cluster: Cluster, { times }: Model, thread: string): Promise<Figure> => {
  const before = times.waiting;
  await say(cluster, thread, 'wait');
  await until(async () => times.waiting > before);
  const startMs = nowMs();
  await cluster.servers[0]?.end('SIGKILL');
  await until(async () => times.waiting > before + 1);
  const tookMs = times.asked - startMs;
  await cluster.servers[0]?.restart();
  return { ours: tookMs / 1_000 };
};

/** What three servers on one store cost and how fast one stands in for another. */
export const serversGroup: Group<'elsewhere' | 'panel' | 'firstText' | 'killed'> = {
  name: 'servers',
  givenUpMs: 300_000,
  rows: {
    elsewhere: ratio('a call at another server than the stream, against the same server: p50', 'ms', {
      atMost: 2.2,
    }),
    panel: ratio('the end of a call at a panel of another server, against the same server: p50', 'ms', {
      atMost: 2,
    }),
    firstText: ratio(
      'agent: the first text at a reader of another server, against the same server: p50',
      'ms',
      { atMost: 1.5 },
    ),
    killed: {
      measure: 'agent: a run of a killed server goes on at another one',
      kind: 'number',
      unit: 's',
      goal: { atMost: 13 },
    },
  },
  open: async (stage) => {
    const { scaled, inRow } = stage;
    const { root, read } = folderToRead();
    const model = await startModel(stage);
    const env = {
      ...{ AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, AGENT_TOKENS_PER_DAY: '1000000000' },
      METRICS_TOKEN: metricsToken,
    };
    const cluster = await startCluster(stage, env);
    const daemon = { person: cluster.at(0), url: cluster.url, root, nodeFlags: stage.nodeFlags };
    await connectDaemon(cluster.processes, daemon);
    const here = await serverOfStream(cluster);
    const pair: Pair = {
      ours: shotAt(cluster, (here + 1) % servers, read),
      bare: shotAt(cluster, here, read),
    };
    await warmUp(pair, scaled(600));
    const panel = await panelFigure(stage, cluster, read);
    const firstText = await firstTextFigure(stage, cluster);
    let threads = 0;
    return async () => ({
      elsewhere: await inRow('elsewhere', () => latencyMs(pair, scaled(200))),
      panel: await inRow('panel', () => panel(scaled(100))),
      firstText: await inRow('firstText', () => firstText(scaled(40))),
      killed: await inRow('killed', () => killedFigure(cluster, model, `killed-${(threads += 1)}`)),
    });
  },
};
