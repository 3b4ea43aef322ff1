import { get } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../test/gateway-fixture.ts';
import { openMcp, type McpFixture } from '../../../test/mcp.ts';

describe('news of the list', () => {
  const listen = (mcp: McpFixture, headers: Record<string, string>) =>
    new Promise<{ status: number; text(): string; ended: Promise<void> }>((resolve) => {
      const request = get(
        `${mcp.url}/mcp`,
        { headers: { authorization: 'Bearer ada', accept: 'text/event-stream', ...headers }, agent: false },
        (incoming) => {
          let all = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => (all += chunk));
          const ended = new Promise<void>((done) => incoming.once('close', done).once('error', () => done()));
          resolve({ status: incoming.statusCode ?? 0, text: () => all, ended });
        },
      );
      request.on('error', () => {});
      onTestFinished(() => void request.destroy());
    });
  const changes = (heard: string) => heard.split('notifications/tools/list_changed').length - 1;

  it('reaches a client of 2025-11-25 when the machine comes, changes and goes; another user’s does not', async () => {
    const mcp = await openMcp();
    const stream = await listen(mcp, {});
    await expect.poll(stream.text).toContain(': open');
    await connect(mcp.gateway, 'bob');
    const { key } = await connect(mcp.gateway, 'ada');
    await expect.poll(() => changes(stream.text())).toBeGreaterThan(0);
    const before = changes(stream.text());
    await mcp.gateway.daemon.setTools({ key, epoch: 1 }, { tools: [{ name: 'x', inputSchema: {} }] });
    await expect.poll(() => changes(stream.text())).toBe(before + 1);
    await mcp.gateway.disconnect('ada');
    await expect.poll(() => changes(stream.text())).toBe(before + 2);
  });

  it('ends when the token is revoked, and when the server closes', async () => {
    const mcp = await openMcp();
    const stream = await listen(mcp, {});
    mcp.revoke('ada');
    await stream.ended;
    const other = await listen(mcp, { authorization: 'Bearer ada-other' });
    await Promise.all([mcp.app.close(), other.ended]);
  });

  it('a person has so many streams and no more', async () => {
    const mcp = await openMcp();
    const streams = await Promise.all(Array.from({ length: 6 }, () => listen(mcp, {})));
    expect(streams.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429]);
  });
});
