import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import { startMcpStandIn } from '../agent/mcp-stand-in.ts';
import { startScriptedModel } from '../agent/scripted-model.ts';
import {
  createPerson,
  createProcesses,
  owner as ownerAccount,
  setupToken,
  type Person,
} from '../harness/index.ts';
import { toServer } from '../cluster/balancer.ts';
import { createChat, type Chat } from './agent/chat.ts';
import { createScript } from './agent/script.ts';
import type { History } from './history.ts';
import { createKeys } from './keys.ts';
import { createMachine, type Machine } from './machine.ts';
import { createProxy, type Proxy } from './proxy.ts';
import { createRandom } from '../harness/random.ts';
import { createCaller, type Caller } from './rpc/caller.ts';
import type { CallerKind } from './rpc/plan.ts';
import { keepRows } from './rows.ts';
import { startServers, type Servers } from './servers/start-servers.ts';
import type { PlantName } from './servers/planted.ts';
import { createUser, type User } from './user.ts';

/** One user with all that is theirs. */
export interface Party {
  user: User;
  chat: Chat;
  callers: Record<CallerKind, Caller>;
  machine: Machine;
  proxy: Proxy;
  /** The user where requests go to that server alone, as long as it is ready. */
  at(server: number): Promise<Person>;
}

/** The servers and their users, each in processes of their own, as a plan finds them. */
export interface World {
  servers: Servers;
  model: Pick<ReturnType<typeof createScript>, 'begin' | 'asked'>;
  parties: Party[];
  /** Stops all of it, and keeps the rows; resolves when no process is left. */
  end(): Promise<void>;
}

export interface WorldOptions {
  folder: string;
  seed: number;
  users: number;
  /** How many servers. */
  servers: number;
  /** The guard that they lack. */
  plant: PlantName | null;
  callMaxMs: number;
  history: History;
}

const sampleEveryMs = 5_000;
/** Longer than faults of servers, balancer and store keep a person out, on a busy machine too. */
const reachableWithinMs = 300_000;

/** Every second user is asked about commands, the others about changes to files; all about network. */
const askedTools = (index: number) =>
  index % 2 === 0 ? (['edit', 'network'] as const) : (['shell', 'process', 'network'] as const);
const flagsOf = (index: number) => {
  const asksShell = index % 2 === 1;
  return [
    ...['--permission-shell', asksShell ? 'ask' : 'allow'],
    ...['--permission-filesystem-write', asksShell ? 'allow' : 'ask'],
  ];
};

const accountOf = (index: number) => ({
  name: `Person ${index}`,
  email: `person-${index}@example.org`,
  password: 'a long password of theirs',
});

/** The balancer's own answers, and no answer, come while a server is killed. */
const isAway = (error: unknown) =>
  /sign-in: 50[234]|fetch failed|Unable to transform response/.test(String(error));

/** Asks again until a server and the store are there. */
const whenReachable = async <T>(ask: () => Promise<T>): Promise<T> => {
  const until = systemClock.now() + reachableWithinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (systemClock.now() > until || !isAway(error)) throw error;
    }
    await sleep(systemClock, 1_000);
  }
};

const invite = async (owner: Person, url: string, index: number) => {
  const invitation = await whenReachable(() => owner.api.invitations.create.mutate());
  const person = createPerson(url);
  const { id } = await person.api.invitations.accept.mutate({
    invitationToken: invitation.url.split(/[=#/]/).at(-1) ?? '',
    ...accountOf(index),
  });
  return { person, id };
};

/** Resident memory in KiB and open handles of a process; undefined if unknown. */
const sizeOf = (pid: number): { kib: number; handles: number } | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    return Number.isNaN(kib) ? undefined : { kib, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
};

export const createWorld = async ({
  folder,
  seed,
  users,
  servers: count,
  plant,
  callMaxMs,
  history,
}: WorldOptions): Promise<World> => {
  const processes = createProcesses();
  const script = createScript(history);
  const model = await startScriptedModel(script.script);
  const bell = await startMcpStandIn(async ({ op, takesMs }) => {
    history.note({ type: 'rung', op: String(op) });
    await sleep(systemClock, Number(takesMs));
  });
  const site = createServer((request, answer) => void answer.end(request.url));
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  // It listens on a TCP port.
  const { port: sitePort } = site.address() as AddressInfo;
  const env = {
    AGENT_MODEL: 'stub',
    AGENT_MODEL_URL: model.url,
    AGENT_MCP_SERVERS: `bell=${bell.url}`,
    AGENT_MAX_RUNS_PER_USER: '20',
    CALL_MAX_MS: String(callMaxMs),
    // Longer stacks of errors, and a heap that does not grow with the memory of the machine.
    NODE_OPTIONS: '--stack-trace-limit=60 --max-old-space-size=256',
    PAIRING_PER_MINUTE: '100000',
    NOT_FOUND_PER_MINUTE: '100000',
  };
  const servers = await startServers({ folder, count, env, history, plant });
  const { url } = servers;
  const keys = createKeys(servers, history);
  const owner = createPerson(url);
  await owner.api.setup.createOwner.mutate({ setupToken, ...ownerAccount });
  const parties: Party[] = [];
  for (let index = 0; index < users; index += 1) {
    const { person, id } = await invite(owner, url, index);
    history.note({ type: 'user', user: index, userId: id, asks: [...askedTools(index)] });
    const random = createRandom(seed + index + 1);
    const proxy = await createProxy({ user: index, target: url, random, note: history.note });
    const user = createUser({ index, person, history, sitePort });
    const machine = await createMachine({
      processes,
      history,
      proxy,
      user,
      keys,
      folder: join(folder, 'machines', String(index)),
      flags: flagsOf(index),
    });
    const caller = (kind: CallerKind) => createCaller({ index, kind, person, url, history });
    const callers = { token: await caller('token'), person: await caller('person') };
    const at = async (server: number) => {
      const there = createPerson(url, { [toServer]: String(server + 1) });
      await whenReachable(() => there.signIn(accountOf(index)));
      return there;
    };
    parties.push({ user, chat: createChat({ index, person, history }), callers, machine, proxy, at });
  }

  let over = false;
  const sample = async () => {
    while (!over) {
      const pids: [string, number][] = servers.all.map((server) => [server.name, server.pid()]);
      for (const { user, machine } of parties) pids.push([`daemon ${user.index}`, machine.pid()]);
      for (const [who, pid] of pids) {
        const size = sizeOf(pid);
        if (size) history.note({ type: 'memory', who, ...size });
      }
      await sleep(systemClock, sampleEveryMs);
    }
  };
  void sample();

  return {
    servers,
    model: script,
    parties,
    end: async () => {
      over = true;
      for (const { user, chat, callers, machine } of parties) {
        user.stop();
        chat.stop();
        for (const caller of Object.values(callers)) caller.stop();
        machine.stop();
      }
      await Promise.all(servers.all.map((server) => server.end()));
      await processes.stopAll();
      await keepRows(servers.store, folder);
      await servers.stop();
      await Promise.all(parties.map(({ proxy }) => proxy.close()));
      site.close();
      site.closeAllConnections();
      await Promise.all([model.close(), bell.close()]);
    },
  };
};
