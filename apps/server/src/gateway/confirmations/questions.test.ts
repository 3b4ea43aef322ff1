import type { ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import { describe, expect, it } from 'vitest';
import { allow, ask, denied } from '../../../test/asked.ts';
import { question, text, useGateway } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const error = (code: string) => ({ code });

describe('a question', () => {
  it.each([
    ['that names itself', question()],
    ['that does not', question({ askId: undefined })],
  ])('%s is taken once while it is open', async (_name, body) => {
    const { gateway, key, requestId } = await ask(fixture, { body });
    expect(await gateway.daemon.respond(key, requestId, body)).toEqual({ ok: true, duplicate: true });
    expect(await gateway.confirmations.list('ada')).toHaveLength(1);
    await expect(gateway.daemon.respond(key, requestId, question({ resource: 'b' }))).rejects.toMatchObject(
      error('CONFLICTING_RESULT'),
    );
  });

  it('CF-07 that was answered is no new one when its post comes again', async () => {
    const { gateway, key, requestId, confirmationId, running } = await ask(fixture);
    await gateway.confirmations.decide('ada', { confirmationId }, allow());
    expect(await gateway.daemon.respond(key, requestId, question())).toEqual({ ok: true, duplicate: true });
    await gateway.daemon.respond(key, requestId, text('done'));
    expect(await running).toMatchObject({ state: 'succeeded', decision: 'allowOnce' });
  });

  it.each([
    ['from a daemon that was started again', question(), question({ askId: 'ask-2' })],
    ['from a daemon that names none', question({ askId: undefined }), question({ askId: undefined })],
  ])('CF-07 anew, %s, needs an answer of its own', async (_name, first, second) => {
    const { gateway, key, requestId, confirmationId, running, stream } = await ask(fixture, { body: first });
    await gateway.confirmations.decide('ada', { confirmationId }, allow('alwaysAllow'));
    expect(await gateway.daemon.respond(key, requestId, second)).toEqual({ ok: true });
    const [next] = await gateway.confirmations.list('ada');
    expect(next?.id).not.toBe(confirmationId);
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({
      state: 'awaiting-confirmation',
      decision: null,
      confirmationId: next?.id,
    });
    await expect(gateway.confirmations.decide('ada', { confirmationId }, allow())).rejects.toMatchObject(
      error('ALREADY_DECIDED'),
    );
    await gateway.confirmations.decide('ada', { requestId }, denied);
    expect(await running).toMatchObject({ state: 'denied', decision: null });
    expect(stream.requests()).toHaveLength(2);
  });

  it('shows all that it is about', async () => {
    const resources = [
      { toolGroup: 'filesystemRead', resource: '/a', description: 'read' },
      { toolGroup: 'filesystemWrite', resource: '/b', description: 'write' },
    ];
    const preview = { kind: 'diff', path: 'a.txt', text: '+a', truncated: false };
    const { confirmation } = await ask(fixture, {
      body: question({ resources, preview, options: ['denyOnce', 'allowOnce', 'never'] }),
    });
    // A preview of an older daemon is a text without a format.
    const shown = { kind: 'text', of: 'unknown', path: 'a.txt', text: '+a' };
    expect(confirmation).toMatchObject({ resources, preview: shown, options: ['allowOnce', 'denyOnce'] });
  });

  it('is published as it is listed', async () => {
    const told: ConfirmationEvent[] = [];
    const { confirmation } = await ask(fixture, { onChanged: (event) => told.push(event) });
    expect(told).toEqual([{ type: 'confirmation', confirmation }]);
  });
});
