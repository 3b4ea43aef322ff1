import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@drawbridge/kit';
import { admit, type Admission } from '../../common/egress/admit.ts';
import { dialDirectly, whenConnected, type Dial } from '../../common/egress/dial.ts';
import type { Service } from '../../common/egress/egress.ts';
import type { Traffic } from '../../common/egress/links.ts';
import { Refused } from '../../common/egress/refusal.ts';
import { gateHost } from './gate-address.ts';
import { forwardGit, readGitRequest, readPush, type GitRequest } from './https.ts';
import { findLogin, type Login } from './login.ts';
import type { OwnPrograms } from './own-programs.ts';
import type { RefChange } from './push-commands.ts';
import { gitArgument, type GitAccess, type Repository } from './repositories.ts';
import { readSshRequest, runSsh, type SshRequest } from './ssh.ts';
import { reasonWords, Unserved, type Reason } from './unserved.ts';

export interface GateNeeds {
  clock: Clock;
  repositories: readonly Repository[];
  /** Whether the permission for it still holds. */
  mayUse(repository: Repository): Promise<boolean>;
  admission(repository: Repository): Admission;
  dial: Dial | undefined;
  programs: OwnPrograms;
  /** Certificate authorities instead of those of this machine. */
  authorities: readonly string[] | undefined;
}

/** What a push of the command asked its host to change. */
export interface Pushed {
  repository: string;
  created: string[];
  updated: string[];
}

interface Wanted {
  /** For a sentence: `github.com/ada/demo`. */
  name: string;
  access: GitAccess;
  is(repository: Repository): boolean;
}

const maxNamed = 20;

const reasonIn = (error: unknown): Reason => {
  if (error instanceof Unserved) return error.reason;
  if (!(error instanceof Refused)) return 'unreachable';
  const { reason } = error;
  return reason === 'unasked' || reason === 'protocol' || reason === 'process' ? 'unreachable' : reason;
};

const sentenceOf = ({ name, access }: Pick<Wanted, 'name' | 'access'>, reason: Reason): string =>
  reason === 'unasked'
    ? `Blocked: ${access} of ${name} with the git login was not asked for. Call again with ${gitArgument(name, access)}.`
    : `Blocked: ${name} ${reasonWords[reason]}.`;

const createRecord = () => {
  const sentences = new Set<string>();
  const pushes = new Map<string, Pushed>();
  const bytes = new Map<string, Traffic>();
  return {
    sentences,
    say: (sentence: string) => {
      if (sentences.size < maxNamed) sentences.add(sentence);
      return sentence;
    },
    pushed: ({ text }: Repository, changes: readonly RefChange[]) => {
      const known = pushes.get(text) ?? { repository: text, created: [], updated: [] };
      for (const { ref, isNew } of changes) {
        const list = isNew ? known.created : known.updated;
        if (list.length < maxNamed && !list.includes(ref)) list.push(ref);
      }
      if (changes.length > 0) pushes.set(text, known);
    },
    count: (host: string, more: { in: number; out: number }) => {
      const known = bytes.get(host) ?? { host, in: 0, out: 0 };
      bytes.set(host, { host, in: known.in + more.in, out: known.out + more.out });
    },
    pushes: () => [...pushes.values()],
    traffic: () => [...bytes.values()],
  };
};

interface Context extends GateNeeds {
  record: ReturnType<typeof createRecord>;
  logins: Map<string, Promise<Login | undefined>>;
  /** What ends each of the open connections. */
  open: Map<() => void, Repository>;
}

const findRepository = async ({ repositories, mayUse }: Context, wanted: Wanted): Promise<Repository> => {
  const found = repositories.find(
    (one) => wanted.is(one) && (wanted.access === 'fetch' || one.access === 'push'),
  );
  if (found === undefined) throw new Unserved('unasked');
  if (!(await mayUse(found))) throw new Unserved('denied');
  return found;
};

const loginFor = async (
  { logins, programs, clock }: Context,
  { host, written }: GitRequest,
): Promise<Login> => {
  const key = `${host}/${written}`;
  const asked = logins.get(key) ?? findLogin(programs, { host, written }, clock);
  logins.set(key, asked);
  const login = await asked;
  if (login === undefined) throw new Unserved('noLogin');
  return login;
};

const reach = async (context: Context, repository: Repository, client: Socket): Promise<Socket> => {
  const { admission, dial = dialDirectly, clock, open, record } = context;
  const { place } = repository;
  const remote = await whenConnected(dial(await admit(admission(repository), place), place.port), clock);
  const end = () => {
    remote.destroy();
    client.destroy();
  };
  open.set(end, repository);
  remote.once('close', () => {
    open.delete(end);
    record.count(place.host, { in: remote.bytesRead, out: remote.bytesWritten });
  });
  client.once('close', () => remote.destroy());
  return remote;
};

const serveHttps = async (
  context: Context,
  { asked, wanted }: { asked: GitRequest | undefined; wanted: Wanted },
  { incoming, answer }: { incoming: IncomingMessage; answer: ServerResponse },
) => {
  if (asked === undefined) throw new Unserved('request');
  const repository = await findRepository(context, wanted);
  const isPush = asked.access === 'push' && !asked.isListing;
  if (isPush && incoming.headers['content-encoding'] !== undefined) throw new Unserved('invalid');
  const { held, changes } = isPush ? await readPush(incoming) : { held: [], changes: [] };
  const login = await loginFor(context, asked);
  const remote = await reach(context, repository, incoming.socket);
  context.record.pushed(repository, changes);
  try {
    const { authorities } = context;
    const { hostname } = repository.place;
    await forwardGit(incoming, answer, { wanted: asked, hostname, remote, login, authorities, held });
  } finally {
    remote.destroy();
  }
};

const answerHttps = async (
  context: Context,
  { incoming, answer }: { incoming: IncomingMessage; answer: ServerResponse },
  path: string,
): Promise<void> => {
  const asked = readGitRequest(incoming.method, path);
  const wanted: Wanted = {
    name: asked === undefined ? gateHost : `${asked.host}/${asked.path}`,
    access: asked?.access ?? 'fetch',
    is: (one) => one.host === asked?.host && one.path === asked.path,
  };
  try {
    await serveHttps(context, { asked, wanted }, { incoming, answer });
  } catch (error) {
    const sentence = context.record.say(sentenceOf(wanted, reasonIn(error)));
    answer.shouldKeepAlive = false;
    if (answer.headersSent) answer.destroy();
    // git shows the text of an answer that is plain.
    else answer.writeHead(403, { 'Content-Type': 'text/plain' }).end(`${sentence}\n`);
  }
};

const answerSsh = async (context: Context, asked: SshRequest | undefined, client: Socket) => {
  const port = asked?.port === undefined ? '' : `:${asked.port}`;
  const user = asked === undefined || asked.user === 'git' ? '' : `${asked.user}@`;
  const wanted: Wanted = {
    name: asked === undefined ? gateHost : `${user}${asked.hostname}${port}/${asked.path}`,
    access: asked?.access ?? 'fetch',
    is: ({ place, user: own, port: ownPort = 22, path }) =>
      place.hostname === asked?.hostname &&
      own === asked.user &&
      ownPort === (asked.port ?? 22) &&
      path === asked.path,
  };
  const { clock, programs, open, record } = context;
  const before = client.bytesWritten;
  try {
    if (asked === undefined) throw new Unserved('request');
    const repository = await findRepository(context, wanted);
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    await runSsh(asked, client, {
      clock,
      programs,
      opened: (end) => {
        open.set(end, repository);
        return () => void open.delete(end);
      },
      pushed: (changes) => record.pushed(repository, changes),
      counted: (bytes) => record.count(asked.hostname + port, bytes),
    });
    client.end();
  } catch (error) {
    record.say(sentenceOf(wanted, reasonIn(error)));
    if (client.bytesWritten > before) client.end();
    else client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  }
};

/**
 * Speaks HTTPS and ssh to git hosts with the person's own login, for the repositories of one command.
 * No login enters the sandbox, and no other request leaves it this way.
 */
export const createGitGate = (needs: GateNeeds) => {
  const context: Context = { ...needs, record: createRecord(), logins: new Map(), open: new Map() };
  const { record, open, mayUse } = context;
  const service: Service = {
    hostname: gateHost,
    request: (incoming, answer, path) => answerHttps(context, { incoming, answer }, path),
    tunnel: (incoming, client, head) => {
      if (head.length > 0) client.unshift(head);
      return answerSsh(context, readSshRequest(incoming), client);
    },
  };
  return {
    service,
    /** Ends what a permission no longer allows. */
    check: () => {
      for (const [end, repository] of open)
        void mayUse(repository).then(
          (holds) => {
            if (!holds) end();
          },
          () => end(),
        );
    },
    notes: (): string[] => [...record.sentences],
    pushes: record.pushes,
    traffic: record.traffic,
    close: () => {
      for (const end of open.keys()) end();
    },
  };
};

export type GitGate = ReturnType<typeof createGitGate>;
