import { describe, expect, it } from 'vitest';
import { connect, text } from '../../../../test/gateway-fixture.ts';
import { messageOf, olderRequest, openMcp, type McpFixture } from '../../../../test/mcp.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const startSession = async (mcp: McpFixture, bearer = 'ada') => {
  const got = await mcp.post(initialize, { bearer });
  return { got, session: String(got.headers['mcp-session-id']) };
};

describe('sessions of 2025-11-25', () => {
  it('MC-08 begin with initialize, and hold for their token alone', async () => {
    const mcp = await openMcp();
    const { got, session } = await startSession(mcp);
    expect(messageOf(got)).toMatchObject({
      id: 0,
      result: {
        protocolVersion: '2025-11-25',
        serverInfo: { name: 'drawbridge' },
        capabilities: { tools: { listChanged: true } },
      },
    });
    const { body, headers } = olderRequest('tools/list');
    const status = async (id: string, bearer = 'ada') =>
      (await mcp.post(body, { bearer, headers: { ...headers, 'mcp-session-id': id } })).status;
    expect(await status(session)).toBe(200);
    expect(await status(session, 'unknown')).toBe(401);
    const [name = '', issued = '', can = '', mac = ''] = session.split('.');
    const forged = [
      [name, issued, can, `${mac.slice(1)}A`],
      [name.replaceAll(/./g, 'x'), issued, can, mac],
      [name, 'zzzzzzzz', can, mac],
      [name, issued, can.replaceAll('0', '1'), mac],
      [name, issued, can],
    ].map((parts) => parts.join('.'));
    for (const id of [...forged, 'guessed', '']) {
      const headers = { authorization: 'Bearer ada', 'mcp-session-id': id };
      expect([await status(id), (await mcp.send({ headers })).status]).toEqual([404, 404]);
    }
    expect(await status(session, 'ada-other')).toBe(404);
    expect(await status(session, 'bob')).toBe(404);
    mcp.clock.advance(31 * 24 * 60 * 60 * 1_000);
    expect(await status(session)).toBe(404);
  });

  it.each([
    ['another token of the person', 'ada-other'],
    ["another person's token", 'bob'],
  ])("MC-08 a session that %s brings first is unknown there, and stays its own token's", async (_, thief) => {
    const mcp = await openMcp();
    const { session } = await startSession(mcp);
    const { body, headers } = olderRequest('tools/list');
    const status = async (bearer: string) =>
      (await mcp.post(body, { bearer, headers: { ...headers, 'mcp-session-id': session } })).status;
    expect([await status(thief), await status('ada'), await status(thief)]).toEqual([404, 200, 404]);
  });

  const running = async (mcp: McpFixture, headers: Record<string, string>, id: unknown = 7) => {
    const request = olderRequest('tools/call', { name: 'write_file', arguments: {} }, id);
    return mcp.post(request.body, { headers: { ...request.headers, ...headers } });
  };
  const cancel = (mcp: McpFixture, headers: Record<string, string>, requestId: unknown = 7) =>
    mcp.post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'no more' } },
      { headers },
    );
  const cancels = (events: { type: string }[]) =>
    events.filter(({ type }) => type === 'tool-call-cancel').length;

  it('a notification cancels the call of its own session', async () => {
    const mcp = await openMcp();
    const { stream } = await connect(mcp.gateway, 'ada');
    const [mine, other] = [(await startSession(mcp)).session, (await startSession(mcp)).session];
    const asked = running(mcp, { 'mcp-session-id': mine });
    await expect.poll(() => stream.requests().length).toBe(1);
    await cancel(mcp, { 'mcp-session-id': other });
    await cancel(mcp, {});
    await cancel(mcp, { 'mcp-session-id': mine }, '7');
    expect(cancels(stream.events)).toBe(0);
    expect((await cancel(mcp, { 'mcp-session-id': mine })).status).toBe(202);
    await asked;
    expect(cancels(stream.events)).toBe(1);
  });

  it('without a session one id of two clients cancels neither', async () => {
    const mcp = await openMcp();
    const { key, stream } = await connect(mcp.gateway, 'ada');
    const asked = [running(mcp, {}), running(mcp, {})];
    await expect.poll(() => stream.requests().length).toBe(2);
    await cancel(mcp, {});
    expect(cancels(stream.events)).toBe(0);
    const [first] = stream.requests();
    await mcp.gateway.daemon.respond(key, first?.requestId ?? '', text('done'));
    await Promise.race(asked);
    await cancel(mcp, {});
    await Promise.all(asked);
    expect(cancels(stream.events)).toBe(1);
  });
});
