import { expect, it } from 'vitest';
import { createPanel } from '../../../test/panel.ts';
import { openPerson, type Rpc, type RpcFrame } from '../../../test/rpc.ts';
import { createTenants, unlike } from '../../../test/tenants.ts';
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
    for (const [kind, id] of Object.entries(named)) {
      const tried = await answer(other, name, paramsOf(id));
      const unknown = await answer(other, name, paramsOf(unlike(id)));
      expect([name, kind, tried]).toEqual([name, kind, unknown]);
    }
  }
  expect((await own.call('sessions.get', { sessionId: 'ws:mine' })).result).toMatchObject({ id: 'ws:mine' });
  expect((await own.call('agent.confirmations')).result).toMatchObject({
    confirmations: [{ state: 'open' }],
  });
});
