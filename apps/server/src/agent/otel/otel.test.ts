import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withAgent } from '../../../test/agent.ts';
import { openStandIn, replyJson } from '../../../test/http-stand-in.ts';

const value = z.object({ stringValue: z.string().optional(), intValue: z.number().optional() });
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes: z.array(z.object({ key: z.string(), value })),
              status: z.object({ code: z.number() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A receiver of OTLP over HTTP on loopback. */
const openReceiver = async () => {
  const standIn = await openStandIn((_request, reply) => replyJson(reply, {}));
  // A client of an earlier server on the same port may still come here: it knows nothing of this path.
  const asked = () => standIn.asked.filter(({ path }) => path.startsWith('/receiver'));
  const spans = () =>
    asked()
      .flatMap(({ body }) => exported.parse(JSON.parse(body)).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      .map(({ attributes, ...span }) => ({
        ...span,
        attributes: Object.fromEntries(
          attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? intValue]),
        ),
      }));
  return { url: `${standIn.url}/receiver`, asked, spans };
};

const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const key = 'key-of-the-model-42';

const story = [
  { calls: [{ name: 'delegate', arguments: { role: 'reader', instructions: `Use ${secret}` } }] },
  { text: 'x'.repeat(10_000) },
  { reasoning: `Think of ${key}`, text: `Done with ${key}.` },
  { text: 'A title' },
];

const record = async (environment: Record<string, string>) => {
  const world = await withAgent(story, { AGENT_MODEL_API_KEY: key, ...environment });
  await world.say('hi');
  await world.until('thread-title-updated', ({ payload }) => payload.title === 'A title');
  const { payload } = await world.until('run-start');
  await world.server.app.close();
  return { ...world, traceId: payload.traceId };
};

describe('traces', () => {
  it('hold a span for each agent, model call, tool call and work on memory, below that of its agent', async () => {
    const receiver = await openReceiver();
    const { traceId } = await record({ OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` });
    expect(new Set(receiver.asked().map(({ path }) => path))).toEqual(new Set(['/receiver/v1/traces']));
    const spans = receiver.spans();
    const named = (name: string) => spans.find((span) => span.name === name);
    const [main, delegate] = [named('invoke_agent main'), named('invoke_agent delegate')];
    expect(main?.parentSpanId).toBeUndefined();
    expect(delegate?.parentSpanId).toBe(main?.spanId);
    expect(named('execute_tool delegate')?.parentSpanId).toBe(main?.spanId);
    const chats = spans.filter(({ name }) => name === 'chat stub');
    const parents = new Set(chats.map(({ parentSpanId }) => parentSpanId));
    expect(parents).toEqual(new Set([main?.spanId, delegate?.spanId, named('memory title')?.spanId]));
    expect(chats).toHaveLength(4);
    expect(chats[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'stub',
      'gen_ai.conversation.id': 'thread',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
    });
    expect(main?.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 30,
      'drawbridge.outcome': 'completed',
    });
    expect(named('memory prepare')?.attributes).toMatchObject({ 'drawbridge.internal_tool': 'prepare' });
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(JSON.stringify(receiver.asked())).not.toMatch(/xxxx|reader|Done with|Think of/);
  });

  it('LG-07 hold texts only where that is switched on, without keys, 4 KiB of each', async () => {
    const receiver = await openReceiver();
    await record({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, AGENT_TRACE_CONTENT: 'true' });
    const texts = receiver.spans().flatMap(({ attributes }) => Object.values(attributes));
    expect(texts).toContain('x'.repeat(4_096));
    expect(Math.max(...texts.map((text) => String(text).length))).toBe(4_096);
    expect(JSON.stringify(receiver.asked())).toContain('Done with');
    expect(texts).toContainEqual(expect.stringMatching(/^Think of /));
    expect(JSON.stringify(receiver.asked())).not.toMatch(new RegExp(`${secret}|${key}`));
  });

  it('change nothing where the receiver fails or is gone', async () => {
    const failing = await openStandIn((_request, reply) => replyJson(reply, {}, 400));
    const { server } = await record({ OTEL_EXPORTER_OTLP_ENDPOINT: failing.url });
    expect(server.log.join('')).toContain('The receiver of traces at OTEL_EXPORTER_OTLP_ENDPOINT fails');
    failing.close();
    await record({ OTEL_EXPORTER_OTLP_ENDPOINT: failing.url });
  });
});
