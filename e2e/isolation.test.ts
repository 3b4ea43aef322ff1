import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accountHome,
  answer,
  connectDaemon,
  createProcesses,
  questionOf,
  run,
  startServer,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

let server: Server;
let ann: Person;
let ben: Person;
let annsDaemon: Daemon;
let bensKey: string;
/** What belongs to Ann: an ended call, an open one, and its question. */
let ids: { ended: string; open: string; confirmation: string };

const bodyOf = async (response: Response) => ({ status: response.status, body: await response.json() });

beforeAll(async () => {
  server = await startServer(processes);
  ann = await server.createOwner();
  ben = await server.invite(ann);

  annsDaemon = await connectDaemon(processes, { person: ann, url: server.url });
  await connectDaemon(processes, { person: ben, url: server.url });
  const link = await ben.fetch('/rest/instance-ai/gateway/create-link', { method: 'POST' });
  bensKey = (await link.json()).data.token;

  writeFileSync(join(annsDaemon.root, 'diary.txt'), 'only for Ann');
  const read = await run(ann, 'read_file', { filePath: 'diary.txt' });
  const write = await run(ann, 'write_file', { filePath: 'diary.txt', content: 'changed' });
  const question = await questionOf(ann, write.requestId);
  ids = { ended: read.requestId, open: write.requestId, confirmation: question.id };
});

const unknown = 'no-such-id-0123456789';

describe('the panel of another user answers as if the id were unknown', () => {
  const asks: [string, (id: string) => Promise<unknown>, () => string][] = [
    ['calls.get', (requestId) => ben.api.calls.get.query({ requestId }), () => ids.ended],
    ['calls.get of an open call', (requestId) => ben.api.calls.get.query({ requestId }), () => ids.open],
    ['calls.cancel', (requestId) => ben.api.calls.cancel.mutate({ requestId }), () => ids.open],
    [
      'confirmations.decide',
      (confirmationId) =>
        ben.api.confirmations.decide.mutate({
          confirmationId,
          approved: true,
          resourceDecision: 'allowOnce',
        }),
      () => ids.confirmation,
    ],
  ];

  it.each(asks)('%s', async (_name, ask, id) => {
    const errorOf = (one: string) =>
      ask(one).then(
        () => 'answered',
        ({ message, data }: { message: string; data: unknown }) => ({ message, data }),
      );
    const theirs = await errorOf(id());
    expect(theirs).toMatchObject({ data: { code: 'NOT_FOUND', httpStatus: 404 } });
    expect(theirs).toEqual(await errorOf(unknown));
  });

  it('CF-08 POST confirm/:requestId, on both mounts', async () => {
    for (const mount of ['/api/v1/instance-ai', '/rest/instance-ai']) {
      const confirm = (requestId: string) =>
        ben.fetch(`${mount}/confirm/${requestId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ approved: true, resourceDecision: 'allowOnce' }),
        });
      const theirs = await bodyOf(await confirm(ids.open));
      expect(theirs.status).toBe(404);
      expect(theirs).toEqual(await bodyOf(await confirm(unknown)));
    }
  });
});

describe('the daemon of another user answers as if the id were unknown', () => {
  it.each([
    ['response', { result: { content: [{ type: 'text', text: 'forged' }] } }],
    ['progress', { message: 'forged' }],
  ])('POST %s, on both mounts', async (path, body) => {
    for (const mount of Object.values(daemonMounts)) {
      const post = (requestId: string) =>
        fetch(`${server.url}${mount}/${path}/${requestId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', [gatewayKeyHeader]: bensKey },
          body: JSON.stringify(body),
        });
      const theirs = await bodyOf(await post(ids.open));
      expect(theirs.status).toBe(404);
      expect(theirs).toEqual(await bodyOf(await post(unknown)));
    }
  });
});

it('lists nothing of another user', async () => {
  expect((await ben.api.calls.list.query({})).calls).toEqual([]);
  expect(await ben.api.confirmations.list.query()).toEqual([]);
  const status = await ben.api.gateway.status.query();
  expect(status.directory).not.toBe(annsDaemon.root);
});

it('runs on the machine of the caller alone', async () => {
  const call = await run(ben, 'read_file', { filePath: join(annsDaemon.root, 'diary.txt') });
  expect(call.state).toBe('failed');
  expect(JSON.stringify(call)).not.toContain('only for Ann');
});

it('receives no event of another user', async () => {
  const heard: unknown[] = [];
  const subscription = await new Promise<{ unsubscribe(): void }>((resolve) => {
    const opened = ben.api.live.onEvent.subscribe(undefined, {
      onStarted: () => resolve(opened),
      onData: ({ data }) => void heard.push(data),
    });
  });
  await answer(ann, ids.open, { approved: true, resourceDecision: 'allowOnce' });
  // Ben's own call comes after Ann's on the same stream: what was to be heard of hers has been heard.
  const own = await run(ben, 'list_files', { dirPath: '.' });
  await until(async () => heard.some((event) => JSON.stringify(event).includes(own.requestId)));
  subscription.unsubscribe();
  expect(JSON.stringify(heard)).not.toContain(ids.open);
});

it('ends no machine but the own', async () => {
  await ben.api.gateway.disconnect.mutate();
  expect((await ben.api.gateway.status.query()).state).toBe('offline');
  expect((await ann.api.gateway.status.query()).state).toBe('online');
});

it('is the owner’s alone to invite', async () => {
  await expect(ben.api.invitations.create.mutate()).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } });
});

it('writes nothing below the home of the account that runs the tests', () => {
  const isIn = (home: string) => {
    const folder = join(home, ...serverPlacesFolder);
    const paths = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    return paths.some((path) => readFileSync(path, 'utf8').includes(server.dataDir));
  };
  expect([accountHome(), userInfo().homedir].map(isIn)).toEqual([true, false]);
});
