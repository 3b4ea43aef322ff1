import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createLimiter } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { json, page } from '../../test/support/gateway-server.ts';
import { request, startLink, text } from '../../test/support/link-fixture.ts';

const question = `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify({
  toolGroup: 'filesystemWrite',
  resource: '/w/a',
  description: 'write /w/a',
  options: ['allowOnce'],
})}`;
const asked: ToolResult = { content: [{ type: 'text', text: question }], isError: true };

describe('calls', () => {
  it('posts a result until the server has it', async () => {
    const { server, clock, connected, until, outbox } = await startLink();
    await connected();
    server.answer(
      'response',
      json(503, {}),
      page(200),
      (_request, response) => void response.destroy(),
      json(200, { ok: true }),
    );
    server.send(request('r1', { a: 1 }));
    for (let round = 1; round <= 4; round += 1) {
      await until(() => expect(server.results()).toHaveLength(round));
      await until(() => expect(clock.waiting()).toBe(round < 4 ? 2 : 1));
      clock.advance(4_000);
    }
    await outbox.empty();
    expect(server.results()).toEqual(Array(4).fill({ result: text('{"a":1}') }));
  });

  it.each([
    ['404', 404],
    ['409', 409],
    ['413', 413],
  ])('stops posting when the server says %s', async (_name, status) => {
    const { server, connected, until, refusals, outbox } = await startLink();
    await connected();
    server.answer('response', json(status, { code: 'X', message: 'No' }));
    server.send(request('r1'));
    await until(() => expect(refusals).toEqual([`No (HTTP ${status})`]));
    await outbox.empty();
  });

  it.each([
    ['a change once and answers it again', 'write_file', 'run 1'],
    ['a read again once the server has it', 'read_file', 'run 2'],
  ])('runs %s', async (_what, name, second) => {
    let runs = 0;
    const { server, connected, until } = await startLink(async () => text(`run ${(runs += 1)}`));
    await connected();
    const call = {
      type: 'filesystem-request',
      payload: { requestId: 'r1', toolCall: { name, arguments: {} } },
    };
    server.send(call);
    await until(() => expect(server.results()).toHaveLength(1));
    server.send(call);
    await until(() => expect(server.results()).toHaveLength(2));
    expect(server.results()).toEqual([{ result: text('run 1') }, { result: text(second) }]);
  });

  it('posts one result when a request comes again while its result waits', async () => {
    const { server, clock, connected, until, outbox } = await startLink();
    await connected();
    server.answer('response', json(503, {}), json(200, { ok: true }));
    server.send(request('r1'));
    await until(() => expect(clock.waiting()).toBe(2));
    server.send(request('r1'));
    await outbox.empty();
    expect(server.results()).toHaveLength(2);
    expect(clock.waiting()).toBe(1);
  });

  it('runs an asked request again only with a decision', async () => {
    const runs: unknown[] = [];
    const { server, connected, until } = await startLink(async ({ toolCall }) => {
      runs.push(toolCall.arguments);
      return toolCall.arguments['_confirmation'] === undefined ? asked : text('written');
    });
    await connected();
    const decided = { _confirmation: 'allowOnce' };
    for (const [round, call] of [{}, {}, decided, decided].entries()) {
      server.send(request('r1', call));
      await until(() => expect(server.results()).toHaveLength(round + 1));
    }
    expect(runs).toEqual([{}, decided]);
    expect(server.results()).toEqual(
      [asked, asked, text('written'), text('written')].map((result) => ({ result })),
    );
  });

  it('cancels a running call, and never starts one that was cancelled before it came', async () => {
    const started: string[] = [];
    const { server, connected, until } = await startLink(({ requestId }, { signal }) => {
      started.push(requestId);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await connected();
    const cancel = (requestId: string) => ({
      type: 'tool-call-cancel',
      payload: { requestId, reason: 'user' },
    });
    server.send(request('r1'));
    server.send(cancel('r1'));
    server.send(cancel('r2'));
    server.send(request('r2'));
    server.send(cancel('r2'));
    server.send(request('r3'));
    await until(() => expect(started).toContain('r3'));
    expect(started).toEqual(['r1', 'r3']);
    await until(() => expect(server.results()).toHaveLength(2));
    const cancelled = (isStarted: boolean) => ({
      result: {
        content: [{ type: 'text', text: 'The call was cancelled' }],
        isError: true,
        _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': isStarted },
      },
    });
    expect(server.results()).toEqual(expect.arrayContaining([cancelled(true), cancelled(false)]));
  });

  it('writes down what changes something before it runs and before its result leaves, and nothing of the rest', async () => {
    const kinds: unknown[] = [];
    const { server, connected, until, journal } = await startLink(
      async ({ requestId, toolCall }, { starting }) => {
        kinds.push(journal.get(requestId)?.kind);
        if (toolCall.name === 'write_file') await starting(['/w/a']);
        kinds.push(journal.get(requestId)?.kind);
        return text('done');
      },
    );
    await connected();
    server.answer('response', (seen, response) => {
      kinds.push(journal.get(seen.path.split('/')[2] ?? '')?.kind);
      json(200, { ok: true })(seen, response);
    });
    const write = request('w1');
    write.payload.toolCall.name = 'write_file';
    for (const [round, call] of [write, request('r1')].entries()) {
      server.send(call);
      await until(() => expect(server.results()).toHaveLength(round + 1));
    }
    expect(kinds).toEqual(['received', 'started', 'done', undefined, undefined, undefined]);
    await until(() =>
      expect(journal.get('w1')).toEqual({ kind: 'settled', body: JSON.stringify({ result: text('done') }) }),
    );
    expect(journal.get('r1')).toBeUndefined();
  });

  it.each([
    ['denied', 'denied', undefined],
    ['asked about', 'asked', 'received'],
  ])('what was %s did not start', async (_what, outcome, kept) => {
    const { server, connected, until, journal } = await startLink(async () =>
      outcome === 'asked'
        ? asked
        : { ...text('no'), isError: true, _meta: { 'drawbridge/outcome': 'denied' } },
    );
    await connected();
    const write = request('w1');
    write.payload.toolCall.name = 'write_file';
    server.send(write);
    await until(() => expect(server.results()).toHaveLength(1));
    expect(journal.get('w1')?.kind).toBe(kept);
  });

  it('says when a result was delivered: a third large one is made when the server has one of two', async () => {
    const ready: string[] = [];
    const largeResults = createLimiter(2);
    const { server, clock, connected, until } = await startLink(
      async ({ requestId, toolCall }, { signal, delivered }) => {
        if ('large' in toolCall.arguments) {
          const release = await largeResults.acquire(signal);
          void delivered.then(release);
        }
        ready.push(requestId);
        return text(requestId);
      },
    );
    await connected();
    const refused = new Set(['/response/l1', '/response/l2']);
    server.answer('response', (seen, response) =>
      json(refused.delete(seen.path) ? 503 : 200, { ok: true })(seen, response),
    );
    for (const id of ['l1', 'l2', 'l3', 'l4', 'l5']) server.send(request(id, { large: true }));
    server.send({ type: 'tool-call-cancel', payload: { requestId: 'l4', reason: 'user' } });
    await until(() => expect(server.results()).toHaveLength(3));
    server.send(request('small'));
    await until(() => expect(server.results()).toHaveLength(4));
    expect(ready).toEqual(['l1', 'l2', 'small']);
    await until(() => {
      // Its retries wait for the clock.
      clock.advance(500);
      expect(ready).toEqual(['l1', 'l2', 'small', 'l3', 'l5']);
    });
    await until(() => expect(server.results()).toHaveLength(8));
  });

  it('keeps what went wrong inside the machine', async () => {
    const { server, connected, until } = await startLink(async () => {
      throw new Error('EACCES: /home/me/.ssh/id_rsa');
    });
    await connected();
    server.send(request('r1'));
    await until(() => expect(server.results()).toEqual([{ error: 'The tool failed on the machine' }]));
  });

  it('merges progress that comes fast', async () => {
    const { server, clock, connected, until } = await startLink(async (_request, { progress }) => {
      for (let line = 0; line < 100; line += 1) progress({ output: `${line}\n` });
      await new Promise<void>((resolve) => clock.after(1_000, resolve));
      return text('done');
    });
    await connected();
    server.send(request('r1'));
    const posted = () => server.seen.filter(({ path }) => path === '/progress/r1').map(({ body }) => body);
    await until(() => expect(posted()).toHaveLength(1));
    await until(() => expect(clock.waiting()).toBe(3));
    clock.advance(250);
    await until(() => expect(posted()).toHaveLength(2));
    const rest = Array.from({ length: 99 }, (_item, at) => `${at + 1}\n`).join('');
    expect(posted()).toEqual([
      { output: '0\n', outputOffset: 0, outputKeptFrom: 0 },
      { output: rest, outputOffset: 2, outputKeptFrom: 0 },
    ]);
  });
});
