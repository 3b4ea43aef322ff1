import { restBase } from '@drawbridge/contracts/rest';
import { expect, it } from 'vitest';
import { story, use } from './agent-turns.ts';
import { machineQuestion, resultOf, withMachine } from './agent.ts';
import { requestOf } from './daemon.ts';
import { openPerson } from './rpc.ts';

const idOrTime =
  /127\.0\.0\.1:\d+|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<="timestamp": )\d+|\b[a-z]{2,4}_[\w-]{12,}|(?<=["/])(?=[^"]*[A-Z\d])(?:[\w-]{16}|[\w-]{21})(?=")/g;

/** With ids, times and ports as numbers of their first place, since they differ in each run. */
const steady = (value: unknown): string => {
  const found: string[] = [];
  const text = JSON.stringify(value, null, 2).replaceAll(idOrTime, (one) => {
    if (!found.includes(one)) found.push(one);
    if (one.startsWith('127.')) return '127.0.0.1:port';
    if (/^\d+$/.test(one)) return '0';
    return /^\d{4}-.*Z$/.test(one) ? '(time)' : `(id ${found.indexOf(one)})`;
  });
  return `${text}\n`;
};

const page = (name: string) => `./wire/${name}.txt`;

it('the document of the REST door is the pinned one', async () => {
  const { server } = await withMachine([]);
  const { json } = await server.send(`${restBase}/openapi.json`);
  await expect(`${JSON.stringify(json, null, 2).replaceAll(server.url, '')}\n`).toMatchFileSnapshot(
    page('rest-document'),
  );
});

it('a call with a question, as a machine of the specification and a JSON-RPC client see it, is the pinned one', async () => {
  const { server, cookie, daemon, panel } = await withMachine(
    story([{ ...use('write_file', { filePath: 'a', content: 'b' }), text: 'Writing.' }, { text: 'Done.' }]),
  );
  const rpc = await openPerson(server, cookie);
  rpc.send({ id: 's', method: 'agent.send', params: { message: 'write it', session: 'cli:one' } });
  const first = await daemon.stream.next();
  const { requestId } = requestOf(first);
  const asked = await daemon.respond(requestId, machineQuestion);
  await rpc.until(({ event }) => event === 'confirm_request');
  const [confirmation] = await panel.confirmations.list.query();
  await panel.confirmations.decide.mutate({
    confirmationId: confirmation?.id ?? '',
    approved: true,
    resourceDecision: 'allowOnce',
  });
  const again = await daemon.stream.next();
  const answered = await daemon.respond(requestId, resultOf('written'));
  await rpc.answerOf('s');
  const machine = [first, asked.json, again, answered.json];
  await expect(steady(machine)).toMatchFileSnapshot(page('machine-frames'));
  await expect(steady(rpc.frames)).toMatchFileSnapshot(page('jsonrpc-frames'));
});
