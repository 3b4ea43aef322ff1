import type { ConfirmationAnswer, ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import type { Decision } from '@drawbridge/contracts/groups';
import { connect, idOf, initBody, question, type TestGateway, callerOf } from './gateway-fixture.ts';

interface Options {
  /** What the daemon asks. */
  body?: ReturnType<typeof question>;
  /** What the daemon can. */
  features?: string[];
  onChanged?: (event: ConfirmationEvent) => void;
}

/** A gateway and a call about which the daemon has asked. */
export const ask = async (
  fixture: TestGateway,
  { body = question(), features = [], onChanged = () => {} }: Options = {},
) => {
  await fixture.open();
  const { gateway, clock } = fixture;
  gateway.confirmations.onChanged('ada', onChanged);
  const { key, stream } = await connect(
    gateway,
    'ada',
    initBody({
      daemon: { version: '0.1.0', protocol: 1, features: ['resume', 'cancel', 'progress', ...features] },
    }),
  );
  const write = { name: 'write_file', arguments: { path: 'a.txt' } };
  const running = callerOf(gateway, 'ada').run(write, { door: 'mcp', until: 'ended' });
  // Some tests end before it does.
  running.catch(() => {});
  await clock.settle();
  const requestId = idOf(stream);
  await gateway.daemon.respond(key, requestId, body);
  const [confirmation] = await gateway.confirmations.list('ada');
  const confirmationId = confirmation?.id ?? 'none';
  return { ...fixture, key, stream, running, requestId, confirmation, confirmationId };
};

export const allow = (resourceDecision?: Decision): ConfirmationAnswer => ({
  approved: true,
  ...(resourceDecision && { resourceDecision }),
});
export const denied: ConfirmationAnswer = { approved: false };
