import { terminalCallStates, type Call } from '@drawbridge/contracts/calls';
import { CodedError } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  connect,
  initBody,
  openGateway,
  openStream,
  question,
  text,
  type FakeStream,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const hour = 60 * 60_000;
const which = fc.nat(4);
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'call' } as const) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('answer' as const), which, isError: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('ask' as const), which, askId: fc.nat(2) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('decide' as const),
      which,
      approved: fc.boolean(),
      named: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.constant({ type: 'drop' } as const) },
  { weight: 2, arbitrary: fc.constant({ type: 'open' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'init' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      ms: fc.constantFrom(9_000, 31_000, 130_000, 12 * hour),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' } as const) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

/** Errors with a code are answers; any other would be a fault. */
const answered = <T>(promise: Promise<T>) =>
  promise.catch((error: unknown) => {
    if (!(error instanceof CodedError) || error.code === 'INTERNAL') throw error;
    return undefined;
  });

const isEnded = (call: Call) => terminalCallStates.some((state) => state === call.state);

/** Runs a script and looks at every call after each step. */
const play = async (script: Operation[], resumes: boolean) => {
  const init = resumes ? initBody() : initBody({ daemon: undefined });
  let fixture: GatewayFixture = await openGateway();
  const { clock } = fixture;
  const { key, stream } = await connect(fixture.gateway, 'ada', init);
  let current: FakeStream | undefined = stream;
  const streams = [stream];
  const ids: string[] = [];
  const ends = new Map<string, Call>();
  const decided = new Map<string, number>();

  const perform = async (item: Operation): Promise<unknown> => {
    const { gateway } = fixture;
    const requestId = 'which' in item ? (ids[item.which] ?? 'none') : 'none';
    switch (item.type) {
      case 'call':
        return void answered(
          callerOf(gateway, 'ada').run(
            { name: 'write_file', arguments: {} },
            { door: 'trpc', until: 'ended' },
          ),
        );
      case 'answer':
        return answered(gateway.daemon.respond(key, requestId, text('x', { isError: item.isError })));
      case 'ask': {
        const askId = resumes ? `ask-${item.askId}` : undefined;
        return answered(gateway.daemon.respond(key, requestId, question({ askId })));
      }
      case 'decide': {
        const resourceDecision = item.approved ? 'allowOnce' : 'denyOnce';
        const answer = { approved: item.approved, ...(item.named ? ({ resourceDecision } as const) : {}) };
        const won = await answered(gateway.confirmations.decide('ada', { requestId }, answer));
        if (won !== undefined) decided.set(requestId, (decided.get(requestId) ?? 0) + 1);
        return;
      }
      case 'cancel':
        return answered(gateway.calls.cancel('ada', requestId));
      case 'drop':
        current?.drop();
        current = undefined;
        return;
      case 'open':
        current = await answered(openStream(gateway, key));
        return void (current && streams.push(current));
      case 'init':
        return answered(gateway.daemon.init(key, init));
      case 'wait':
        return clock.settle(item.ms);
      case 'restart':
        fixture = await fixture.crash();
        current = undefined;
        return;
      default:
        return item satisfies never;
    }
  };

  const checkState = async () => {
    const { calls } = await fixture.gateway.calls.list('ada', { limit: 100 });
    for (const { requestId } of calls.toReversed()) if (!ids.includes(requestId)) ids.push(requestId);
    for (const requestId of ids) {
      const call = await fixture.gateway.calls.get('ada', requestId);
      const before = ends.get(requestId);
      // What a daemon reports after the end is the one thing that may still become known.
      const late = { started: null, rev: 0 };
      if (before) expect({ ...call, ...late }).toEqual({ ...before, ...late });
      if (isEnded(call)) ends.set(requestId, before ?? call);
      expect(isEnded(call)).toBe(call.endedAt !== null);
    }
    const open = (await fixture.gateway.confirmations.list('ada')).map((one) => one.requestId);
    const waiting = calls
      .filter((call) => call.state === 'awaiting-confirmation')
      .map((call) => call.requestId);
    expect(open.toSorted()).toEqual(waiting.toSorted());
    expect(fixture.errors).toEqual([]);
  };

  for (const item of script) {
    await perform(item);
    await clock.settle();
    await checkState();
  }
  await clock.settle(25 * hour);
  await checkState();
  const last = fixture;
  await last.close();
  return {
    ids,
    ends,
    decided,
    written: streams.flatMap((one) => one.requests().map((request) => request.requestId)),
  };
};

const timesIn = (list: string[], id: string) => list.filter((one) => one === id).length;

describe('whatever happens', () => {
  it.each([
    ['that resumes', true],
    ['that knows only the specification', false],
  ])(
    'CF-09 PS-05 every call ends once, and stays so; to a daemon %s none is written too often',
    async (_name, resumes) => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (script) => {
          const { ids, ends, decided, written } = await play(script, resumes);
          expect([...ends.keys()].toSorted()).toEqual(ids.toSorted());
          if (resumes) return;
          for (const id of ids) expect(timesIn(written, id)).toBeLessThanOrEqual(1 + (decided.get(id) ?? 0));
        }),
        // Inits one after the other end the key.
        { numRuns: 25, examples: [[[...Array<Operation>(4).fill({ type: 'init' }), { type: 'open' }]]] },
      );
    },
    60_000,
  );
});
