import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { withMachine } from '../../../test/agent.ts';
import { exampleSource, openExampleClient } from '../../../test/example-client.ts';
import { newToken } from '../../../test/rpc.ts';

it('the example client of the specification, with its line breaks, connects, lists, sends and receives', async () => {
  const sha256 = createHash('sha256').update(exampleSource.replaceAll(/\s/g, '')).digest('hex');
  expect(sha256).toBe('0bf4673eb89f49bb883f597b56a33cdab2974f0081aa9a5992e90450cdf0cc7a');
  const { server, cookie } = await withMachine(() => ({ text: 'Hello!' }));
  const { token } = await newToken(server, cookie);
  const { client, printed } = await openExampleClient(server.url, token);
  expect(await client.systemInfo()).toMatchObject({ version: '0.1.0', connections: 1 });
  expect(await client.listSessions()).toEqual({ sessions: [], total: 0 });
  expect(await client.listTools()).toMatchObject({ tools: [{ name: 'read_file' }] });
  const answer = await client.sendMessage('Hello, Flynn!', 'telegram:123456');
  expect(answer).toMatchObject({ sessionId: 'telegram:123456', response: 'Hello!' });
  expect(await client.contextUsage()).toMatchObject({ sessions: [{ sessionId: 'telegram:123456' }] });
  expect(printed).toContainEqual(['Content:', 'Hello!']);
  expect(printed).toContainEqual(['Done:', 'Hello!']);
  client.ws.close();
});
