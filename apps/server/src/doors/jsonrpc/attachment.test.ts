import { expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../../test/agent-turns.ts';
import { nextCall, withAgent, withMachine } from '../../../test/agent.ts';
import { replyJson } from '../../../test/http-stand-in.ts';
import { openPerson } from '../../../test/rpc.ts';
import { audioOf, openSpeechServer } from '../../../test/speech-server.ts';

it('CH-29 gives a file that the agent sends as an attachment before the end, and the panel saves it', async () => {
  const page = '<script>alert(1)</script>';
  const blob = Buffer.from(page).toString('base64');
  const offered = ['read_file', 'export_file'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const { server, cookie, daemon, model, agent, userId } = await withMachine(
    story([use('send_file', { from: 'machine', path: 'out/page.html' }), { text: 'Here it is.' }]),
    {},
    { tools: offered },
  );
  const rpc = await openPerson(server, cookie);
  rpc.send({ id: 's', method: 'agent.send', params: { message: 'send it' } });
  const asked = await rpc.until(({ event }) => event === 'confirm_request');
  expect(asked.data).toMatchObject({ message: 'Send a file of desk to you?' });
  const { confirmId } = asked.data ?? {};
  const answer = { kind: 'approval', approved: true };
  expect((await rpc.call('agent.confirm', { confirmId, answer })).error).toBeUndefined();
  const call = await nextCall(daemon);
  expect(call.toolCall).toMatchObject({ name: 'export_file', arguments: { filePath: 'out/page.html' } });
  const resource = { uri: 'file:///page.html', mimeType: 'text/plain', blob };
  await daemon.respond(call.requestId, { result: { content: [{ type: 'resource', resource }] } });
  await rpc.answerOf('s');
  const { data } = rpc.frames.find(({ event }) => event === 'attachment') ?? {};
  expect(data).toEqual({
    mimeType: 'text/plain',
    data: blob,
    filename: 'page.html',
    callId: expect.any(String),
  });
  const order = rpc.frames.filter(({ id }) => id === 's').map((frame) => frame.event ?? 'result');
  expect(order.slice(order.indexOf('attachment'))).toEqual([
    ...['attachment', 'tool_end', 'content', 'run_state', 'done', 'result'],
  ]);
  // The model has the name, and no byte of the file; its tools do not give it one.
  expect(JSON.stringify(model.requests)).not.toContain(blob);
  expect(model.requests[0]?.tools).toContain('send_file');
  expect(model.requests[0]?.tools).not.toContain('export_file');

  const { threads } = await agent.threads.list(userId, { limit: 1 });
  const { view } = await agent.threads.snapshot(userId, threads[0]?.id ?? '', { limit: 1 });
  const [file] = Object.values(view.calls).flatMap(({ files = [] }) => files);
  expect(file).toMatchObject({ name: 'page.html', mediaType: 'text/plain', bytes: page.length });
  const saved = await server.send(`/api/v1/instance-ai/files/${file?.id}`, { headers: { cookie } });
  expect([saved.text, saved.headers['content-type'], saved.headers['content-disposition']]).toEqual([
    page,
    'application/octet-stream',
    "attachment; filename*=UTF-8''page.html",
  ]);
  expect(saved.headers['x-content-type-options']).toBe('nosniff');
  expect(saved.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
});

it('CH-27 a recording is a message with the words that were said; agent.cancel ends listening', async () => {
  const speech = await openSpeechServer('Is it cold?');
  const { server, cookie, model } = await withAgent(
    story(() => ({ text: 'No.' })),
    speech.environment,
  );
  const rpc = await openPerson(server, cookie);
  expect((await rpc.call('system.capabilities')).result).toMatchObject({ featureGates: { voice: true } });
  const data = Buffer.from('OggS\0\x02 spoken', 'latin1').toString('base64');
  const params = (more: object = {}) => ({
    message: ' ',
    sessionId: 'ws:voice',
    attachments: [{ mimeType: 'audio/ogg', data }],
    ...more,
  });
  rpc.send({ id: 'a', method: 'agent.send', params: params({ idempotencyKey: 'recording-1' }) });
  expect((await rpc.answerOf('a')).result).toMatchObject({ content: 'No.' });
  const states = rpc.frames.filter(({ event }) => event === 'run_state').map((frame) => frame.data?.state);
  expect(states).toEqual(['start', 'complete']);
  expect(requestsOf(model.requests).map(textOf).join('')).toContain(
    '[Transcription of a voice message]\\nIs it cold?',
  );
  // The same key is the same message, whatever is understood the next time.
  const again = await rpc.call('agent.send', params({ idempotencyKey: 'recording-1' }));
  expect(again.result).toMatchObject({ content: 'No.', replayed: true });
  expect(speech.heard).toHaveLength(1);

  speech.answerFirst(() => undefined);
  rpc.send({ id: 'b', method: 'agent.send', params: params() });
  await expect.poll(() => speech.asked.length).toBe(2);
  expect((await rpc.call('agent.cancel', { requestId: 'b' })).result).toEqual({
    cancelled: true,
    rejected: 1,
  });
  expect((await rpc.answerOf('b')).error).toMatchObject({ code: 4 });
  speech.answerFirst((reply) => replyJson(reply, {}, 500));
  expect((await rpc.call('agent.send', params())).error).toMatchObject({
    code: 5,
    message: 'A voice message was not read: the transcription service failed (HTTP 500)',
  });
  const wrong = { attachments: [{ mimeType: 'audio/mpeg', data }] };
  expect((await rpc.call('agent.send', params(wrong))).error).toMatchObject({ code: -2 });
  expect(requestsOf(model.requests)).toHaveLength(1);
});

it('CH-27 without a service for it, a recording is refused with what to set', async () => {
  const { server, cookie } = await withAgent(story(() => ({ text: 'No.' })));
  const rpc = await openPerson(server, cookie);
  const data = Buffer.from('fLaC').toString('base64');
  const attachments = [{ mimeType: 'audio/flac', data }];
  const { error } = await rpc.call('agent.send', { message: ' ', attachments });
  expect(error).toMatchObject({ code: 17, message: expect.stringContaining('TRANSCRIPTION_URL') });
});

it('CH-28 an answer is read out before its end where the message was spoken or asks for it', async () => {
  const speech = await openSpeechServer();
  const { server, cookie } = await withAgent(
    story(() => ({ text: 'It is **warm**.' })),
    { ...speech.environment, ...speech.speech },
  );
  const rpc = await openPerson(server, cookie);
  expect((await rpc.call('system.capabilities')).result).toMatchObject({ featureGates: { tts: true } });
  const data = Buffer.from('OggS\0\x02 spoken', 'latin1').toString('base64');
  const spoken = { message: ' ', attachments: [{ mimeType: 'audio/ogg', data }] };
  const eventsOf = async (id: string, params: object) => {
    rpc.send({ id, method: 'agent.send', params });
    expect((await rpc.answerOf(id)).result).toMatchObject({ content: 'It is **warm**.' });
    return rpc.frames.filter((frame) => frame.id === id).map((frame) => frame.event ?? 'result');
  };
  const withSpeech = ['run_state', 'content', 'run_state', 'attachment', 'done', 'result'];
  expect(await eventsOf('a', spoken)).toEqual(withSpeech);
  const said = rpc.frames.find(({ event }) => event === 'attachment')?.data;
  const file = { mimeType: 'audio/mpeg', data: audioOf('mp3').toString('base64'), filename: 'reply.mp3' };
  expect(said).toEqual(file);
  expect(await eventsOf('b', { message: 'Hello?', speech: true })).toEqual(withSpeech);
  const textAlone = withSpeech.filter((event) => event !== 'attachment');
  expect(await eventsOf('c', { message: 'Hello?' })).toEqual(textAlone);
  expect(await eventsOf('d', { ...spoken, speech: false })).toEqual(textAlone);
  expect(speech.spoken.map(({ input, response_format: format }) => [input, format])).toEqual([
    ['It is warm.', 'mp3'],
    ['It is warm.', 'mp3'],
  ]);

  // agent.cancel ends it, and the text comes.
  const before = speech.asked.length;
  speech.answerFirst(() => undefined);
  rpc.send({ id: 'e', method: 'agent.send', params: { message: 'Hello?', speech: true } });
  await expect.poll(() => speech.asked.length).toBe(before + 1);
  expect((await rpc.call('agent.cancel', { requestId: 'e' })).result).toEqual({
    cancelled: true,
    rejected: 1,
  });
  expect((await rpc.answerOf('e')).result).toMatchObject({ content: 'It is **warm**.' });
  // So it does where every address fails.
  speech.answerFirst((reply) => replyJson(reply, {}, 500));
  expect(await eventsOf('f', { message: 'Hello?', speech: true })).toEqual(textAlone);
  expect(speech.asked).toHaveLength(before + 2);
});
