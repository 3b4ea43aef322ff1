// Bare Fastify and tRPC: a procedure that awaits the bare bridge, a subscription, and idle event streams.
import { EventEmitter, on } from 'node:events';
import { initTRPC } from '@trpc/server';
import { fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import { fastify } from 'fastify';
import { z } from 'zod';
import { createBridge } from './bridge.ts';
import { listen } from './serve.ts';

const bridge = createBridge();
const events = new EventEmitter();
const trpc = initTRPC.create();
const toolCall = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });

const router = trpc.router({
  run: trpc.procedure
    .input(toolCall)
    .mutation(async ({ input }): Promise<unknown> => JSON.parse(await bridge.call(JSON.stringify(input)))),
  onChanged: trpc.procedure.subscription(async function* ({ signal }) {
    for await (const [name] of on(events, 'changed', { ...(signal ? { signal } : {}) })) yield String(name);
  }),
});

export type BareRouter = typeof router;

const app = fastify();
await app.register(fastifyTRPCPlugin, { prefix: '/trpc', trpcOptions: { router } });
app.get('/events', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  reply.raw.write(': open\n\n');
  events.emit('changed', 'opened');
});
app.post('/response/:requestId', () => {
  events.emit('changed', 'asked');
  return { ok: true };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`ready on ${await listen(bridge.server)} panel on ${url}`);
