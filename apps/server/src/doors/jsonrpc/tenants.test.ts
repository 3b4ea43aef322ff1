import { expect, it } from 'vitest';
import { createPanel } from '../../../test/panel.ts';
import { newToken, openPerson, openRpc, type Rpc, type RpcFrame } from '../../../test/rpc.ts';
import { createTenants, unlike } from '../../../test/tenants.ts';
import type { Who } from './identity.ts';
import { methods } from './methods.ts';

/** Parameters of each method that names something; `id` stands for what is tried. */
const tries: Record<string, (id: string) => object> = {
  'sessions.get': (sessionId) => ({ sessionId }),
  'sessions.history': (sessionId) => ({ sessionId }),
  'sessions.switch': (sessionId) => ({ sessionId }),
  'sessions.subscribe': (sessionId) => ({ sessionId }),
  'sessions.unsubscribe': (sessionId) => ({ sessionId }),
  'sessions.delete': (sessionId) => ({ sessionId }),
  'agent.cancel': (sessionId) => ({ sessionId }),
  'agent.setToolUseCallback': (sessionId) => ({ sessionId, enabled: true }),
  'agent.confirmations': (sessionId) => ({ sessionId }),
  'canvas.get': (sessionId) => ({ sessionId, artifactId: 'a' }),
  'canvas.list': (sessionId) => ({ sessionId }),
  'canvas.delete': (sessionId) => ({ sessionId, artifactId: 'a' }),
  'canvas.clear': (sessionId) => ({ sessionId }),
  'agent.confirm': (confirmId) => ({ confirmId, decision: 'denyOnce' }),
  'tools.list': (machineId) => ({ machineId }),
  'tools.execute': (machineId) => ({ machineId, tool: 'read_file' }),
};

const answer = async (
  rpc: Rpc,
  name: string,
  params: object,
): Promise<RpcFrame['error'] | RpcFrame['result']> => {
  const { error, result } = await rpc.call(name, params);
  return error ?? result;
};

it('WS-11 an id of another user is answered as an unknown one, by every method', async () => {
  const { server, ann, ben, ids } = await createTenants();
  const [own, other] = await Promise.all([openPerson(server, ann.cookie), openPerson(server, ben.cookie)]);
  await own.call('sessions.create', { sessionId: 'ws:mine' });
  const thread = (await createPanel(server, ann.cookie).agent.threads.list.query({})).threads[0]?.id ?? '';
  const named = { ...ids, session: 'ws:mine', thread: `thread:${thread}` };
  for (const [name, paramsOf] of Object.entries(tries)) {
    expect(methods.has(name)).toBe(true);
    const tried = Object.entries(named).map(async ([kind, id]) => {
      const [got, unknown] = await Promise.all([
        answer(other, name, paramsOf(id)),
        answer(other, name, paramsOf(unlike(id))),
      ]);
      expect([name, kind, got]).toEqual([name, kind, unknown]);
    });
    await Promise.all(tried);
  }
  // The same name is another session of another user.
  expect((await other.call('sessions.create', { sessionId: 'ws:mine' })).result).toMatchObject({
    created: true,
  });
  expect((await other.call('sessions.list')).result).toMatchObject({
    total: 1,
    sessions: [{ id: 'ws:mine' }],
  });
  expect((await own.call('sessions.get', { sessionId: 'ws:mine' })).result).toMatchObject({ id: 'ws:mine' });
  expect((await own.call('agent.confirmations')).result).toMatchObject({
    confirmations: [{ state: 'open' }],
  });
});

it('every method is refused to a connection that may not call it', async () => {
  const { server, ann, ben } = await createTenants();
  const { token } = await newToken(server, ann.cookie, ['filesystemRead']);
  const { token: operating } = await newToken(server, ann.cookie, ['operate']);
  const guest = await openPerson(server, ben.cookie);
  guest.send({ id: 'open', method: 'tools.execute', params: { tool: 'read_file' } });
  await guest.until(({ event }) => event === 'tool_start');
  const refused: [string, Rpc, Who[]][] = [
    ['a guest', guest, ['operate', 'owner']],
    [
      "the owner's token",
      await openRpc(server, token),
      ['agent', 'node', 'operate', 'reader', 'person', 'owner'],
    ],
    ['a token that operates', await openRpc(server, operating), ['agent', 'node', 'person', 'owner']],
  ];
  for (const [name, rpc, whos] of refused) {
    for (const method of methods.values())
      if (whos.includes(method.who))
        expect([name, method.name, (await rpc.call(method.name)).error?.code]).toEqual([
          name,
          method.name,
          15,
        ]);
    const mayOperate = !whos.includes('operate');
    const { error } = await rpc.call('system.presence', { all: true });
    expect([name, error?.code]).toEqual([name, mayOperate ? undefined : 15]);
    const { result } = await rpc.call('system.metrics');
    // The guest's open call is in the numbers of the guest, and of the whole server.
    expect([name, result?.activeRequests]).toEqual([name, mayOperate || rpc === guest ? 2 : 1]);
  }
});
