import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { describe, expect, it } from 'vitest';
import { requestOf } from '../../../test/daemon.ts';
import { answerNext, online, text } from '../../../test/rest.ts';
import { newToken, openPerson, openRpc } from '../../../test/rpc.ts';

const question = {
  isError: true,
  ...text(
    confirmationText.encode({
      toolGroup: 'filesystemWrite',
      resource: '/home/person/project/a',
      description: `Write ${'x'.repeat(8_000)} end`,
      options: ['allowOnce', 'denyOnce'],
    }),
  ),
};

const world = async () => {
  const made = await online();
  const { server, cookie } = made;
  const { token, id } = await newToken(server, cookie, ['filesystemRead', 'filesystemWrite']);
  const [script, person] = await Promise.all([openRpc(server, token), openPerson(server, cookie)]);
  return { ...made, token, tokenId: id, rpc: script, person };
};

describe('tools.execute', () => {
  it('WS-08 asks the person, whose first answer counts, at every door', async () => {
    const { server, cookie, daemon, panel, rpc, person } = await world();
    const args = { filePath: 'a', _confirmation: 'allowOnce', confirm_high_risk: true };
    rpc.send({ id: 'w', method: 'tools.execute', params: { tool: 'write_file', args } });
    const asked = await answerNext(daemon, question);
    expect(asked.toolCall.arguments).not.toHaveProperty('_confirmation');
    const { data } = await rpc.until(({ event }) => event === 'confirm_request');
    expect(data).toMatchObject({
      kind: 'resource-decision',
      description: expect.stringMatching(/^Write x{8000} end$/),
      canAnswer: false,
      url: expect.stringContaining('/confirmations/'),
    });
    const confirmId = String(data?.confirmId);
    expect((await rpc.call('agent.confirm', { confirmId, decision: 'allowOnce' })).error).toMatchObject({
      code: 15,
    });
    person.send({ jsonrpc: '2.0', method: 'agent.confirm', params: { confirmId, decision: 'allowOnce' } });
    const listed = (await person.call('agent.confirmations')).result;
    expect(listed).toMatchObject({ confirmations: [{ confirmId, canAnswer: true }] });
    expect((await rpc.call('agent.confirmations')).result).toMatchObject({ confirmations: [{ confirmId }] });

    const another = await openPerson(server, cookie);
    const answers = await Promise.all([
      person.call('agent.confirm', { confirmId, decision: 'allowOnce' }),
      another.call('agent.confirm', { confirmId, decision: 'denyOnce' }),
    ]);
    const results = answers.map(({ result }) => result);
    expect(results.map((one) => one?.alreadyResolved).toSorted()).toEqual([false, true]);
    expect(results[0]?.decision).toBe(results[1]?.decision);
    const decided = requestOf(await daemon.stream.next());
    expect(decided.toolCall.arguments).toMatchObject({ _confirmation: results[0]?.decision });
    await daemon.respond(decided.requestId, { result: text('written') });
    expect((await rpc.answerOf('w')).result).toMatchObject({ success: true, output: 'written' });
    expect(rpc.frames.filter(({ id }) => id === 'w').map(({ event }) => event ?? 'result')).toEqual([
      'tool_start',
      'confirm_request',
      'confirm_resolved',
      'tool_end',
      'result',
    ]);
    const shown = await panel.confirmations.get.query({ confirmationId: confirmId });
    expect(shown).toMatchObject({ state: 'decided', decision: results[0]?.decision });
    expect((await person.call('agent.confirm', { confirmId: 'unknown', decision: 'deny' })).error?.code).toBe(
      19,
    );
  });

  it('answers at the question where the client wants that', async () => {
    const { daemon, rpc } = await world();
    const asked = rpc.call('tools.execute', { tool: 'write_file', until: 'asked' });
    await answerNext(daemon, question);
    expect((await asked).result).toMatchObject({
      success: false,
      state: 'awaiting-confirmation',
      confirmId: expect.any(String),
    });
  });

  it('cancels a call whose client leaves, unless it has a key; equal keys run once', async () => {
    const { server, daemon, token, rpc, panel } = await world();
    const leaving = await openRpc(server, token);
    leaving.send({ id: 1, method: 'tools.execute', params: { tool: 'read_file' } });
    const first = requestOf(await daemon.stream.next());
    leaving.socket.terminate();
    await expect
      .poll(async () => (await panel.calls.get.query({ requestId: first.requestId })).state)
      .toBe('cancelled');

    const named = { tool: 'read_file', args: { filePath: 'b' }, idempotencyKey: 'k1' };
    const dropped = await openRpc(server, token);
    dropped.send({ id: 1, method: 'tools.execute', params: named });
    const kept = requestOf(await daemon.stream.next());
    dropped.socket.terminate();
    const again = rpc.call('tools.execute', named);
    await daemon.respond(kept.requestId, { result: text('once') });
    expect((await again).result).toMatchObject({ output: 'once', replayed: true, callId: kept.requestId });
    const other = await rpc.call('tools.execute', { ...named, args: { filePath: 'c' } });
    expect(other.error?.code).toBe(18);
  });

  it('has limits', async () => {
    const { rpc } = await world();
    const args = { content: 'x'.repeat(4 * 1024 * 1024) };
    expect((await rpc.call('tools.execute', { tool: 'write_file', args })).error?.code).toBe(14);
    expect((await rpc.call('tools.execute', { tool: 'read_file', machineId: 'none' })).error?.code).toBe(19);
  });
});
