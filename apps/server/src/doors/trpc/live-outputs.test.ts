import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { expect, it } from 'vitest';
import { collectTopic } from '../../../test/collect.ts';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { createPanel } from '../../../test/panel.ts';
import { send, signUpOwner, startServer } from '../../../test/server.ts';

it('changes of calls begin with the latest output of open calls', async () => {
  const server = await startServer();
  const panel = createPanel(server, await signUpOwner(server));
  const daemon = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
  const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
  const { requestId } = requestOf(await daemon.stream.next());
  const post = (body: ProgressBody) =>
    send(`${server.url}${daemonMounts.bare}/progress/${requestId}`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: daemon.sessionKey },
      body,
    });
  await post({ output: 'one\n', outputOffset: 0, outputKeptFrom: 0 });
  const { text } = await post({ output: 'two\n', outputOffset: 4, outputKeptFrom: 0, message: 'on it' });
  expect(JSON.parse(text)).toEqual({ ok: true, outputEnd: 8 });
  const fresh = await collectTopic(panel, 'calls');
  const resumed = await collectTopic(panel, 'calls', { lastEventId: 'earlier' });
  const printed = { type: 'progress', requestId, message: 'on it', output: 'one\ntwo\n', outputOffset: 0 };
  expect(await fresh.until(1)).toEqual([printed]);
  expect((await resumed.until(2)).at(-1)).toEqual(printed);
  await daemon.respond(requestId, { result: { content: [] } });
  await run;
  for (const one of [fresh, resumed]) one.stop();
});
