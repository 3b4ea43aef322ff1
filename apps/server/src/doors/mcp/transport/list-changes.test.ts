import { disconnectMachine } from '../../../callers/index.ts';
import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../../test/gateway-fixture.ts';
import { bothTypes, modernRequest, openMcp, type McpFixture } from '../../../../test/mcp.ts';

interface Stream {
  status: number;
  text(): string;
  ended: Promise<void>;
}

interface Asked {
  method: string;
  headers: Record<string, string>;
  body?: object;
}

const open = ({ url }: McpFixture, { method, headers, body }: Asked, bearer = 'ada'): Promise<Stream> =>
  new Promise((resolve) => {
    const all = { ...bothTypes, authorization: `Bearer ${bearer}`, ...headers };
    const request = httpRequest(`${url}/mcp`, { method, headers: all, agent: false }, (incoming) => {
      let heard = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk));
      const ended = new Promise<void>((done) => incoming.once('close', done).once('error', () => done()));
      resolve({ status: incoming.statusCode ?? 0, text: () => heard, ended });
    });
    request.on('error', () => {});
    request.end(body && JSON.stringify(body));
    onTestFinished(() => void request.destroy());
  });

const subscription = modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } });
const withType = { ...subscription.headers, 'content-type': 'application/json' };

describe.each<[string, Asked]>([
  ['2025-11-25', { method: 'GET', headers: {} }],
  ['2026-07-28', { method: 'POST', headers: withType, body: subscription.body }],
])('news of the list in %s', (_revision, asked) => {
  const changes = ({ text }: Stream) => text().split('notifications/tools/list_changed').length - 1;

  it('is sent when the machine connects, changes and disconnects, not for another user’s machine', async () => {
    const mcp = await openMcp();
    const stream = await open(mcp, asked);
    await expect.poll(stream.text).not.toBe('');
    await connect(mcp.gateway, 'bob');
    const { key } = await connect(mcp.gateway, 'ada');
    await expect.poll(() => changes(stream)).toBeGreaterThan(0);
    const before = changes(stream);
    await mcp.gateway.daemon.setTools({ key, epoch: 1 }, { tools: [{ name: 'x', inputSchema: {} }] });
    await expect.poll(() => changes(stream)).toBe(before + 1);
    await disconnectMachine(mcp.gateway, { userId: 'ada' });
    await expect.poll(() => changes(stream)).toBe(before + 2);
  });

  it('ends when the token is revoked, and when the server closes', async () => {
    const mcp = await openMcp();
    const stream = await open(mcp, asked);
    mcp.revoke('ada');
    await stream.ended;
    const other = await open(mcp, asked, 'ada-other');
    await Promise.all([mcp.app.close(), other.ended]);
  });

  it('is sent to a bounded number of streams of a person', async () => {
    const mcp = await openMcp();
    const streams = await Promise.all(Array.from({ length: 6 }, () => open(mcp, asked)));
    expect(streams.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await open(mcp, asked, 'bob')).status).toBe(200);
  });
});
