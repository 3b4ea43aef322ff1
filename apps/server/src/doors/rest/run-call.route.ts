import { restBase, restLimits, restSchemas } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';
import { leavingOf } from './leaving.ts';
import { isOpen, ownCall } from './own-call.ts';
import { requireTool } from './own-tools.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';
import { callChange, delay } from './waits.ts';

interface Needs {
  gateway: Gateway;
  clock: Clock;
  /** Hears what went wrong with a call whose client has been answered. */
  onError(error: unknown): void;
}

const { waitSeconds, mostWaitSeconds } = restLimits;

/** `POST /calls`: runs a tool. */
export const runCallRoute = ({ gateway, clock, onError }: Needs): Route => ({
  method: 'post',
  path: '/calls',
  operation: {
    operationId: 'runCall',
    summary: 'Run a tool on the machine',
    description: [
      `The answer waits for the end of the call, at most ${waitSeconds} s; \`Prefer: wait=<seconds>\` sets another time, at most ${mostWaitSeconds} s.`,
      'After that, or at once with `Prefer: respond-async`, it is 202, and the call goes on: `Location` says where to look.',
      'A client that leaves before it is answered cancels its call.',
      'A question that the machine asks is answered by the person, in the panel or at the machine, and never here: the call waits meanwhile, in state `awaiting-confirmation`.',
    ].join(' '),
    requestParams: { header: preferHeader },
    requestBody: { required: true, content: { 'application/json': { schema: restSchemas.NewCall } } },
    responses: {
      '200': json(
        restSchemas.Call,
        'The call has ended: `state` says how. Also a call that failed or was denied is answered with 200.',
      ),
      '202': {
        ...json(restSchemas.Call, 'The call goes on.'),
        headers: {
          Location: { description: 'Where to get the call.', schema: { type: 'string' }, required: true },
        },
      },
      ...failures(
        'unknownTool',
        'notConnected',
        'gatewayDisabled',
        'tooManyCalls',
        'tooLarge',
        'tooDeep',
        'unsupportedMediaType',
        'storeUnavailable',
        'shuttingDown',
      ),
    },
  },
  handle: async ({ caller, request, reply }) => {
    const { userId, via } = caller;
    const call = restSchemas.NewCall.parse(request.body);
    await requireTool(gateway, caller, call.name);
    let requestId: string | undefined;
    const written = callChange(gateway, userId, (changed) => changed.requestId === requestId);
    const ended = gateway.call(userId, call, {
      door: 'rest',
      via,
      until: 'ended',
      signal: leavingOf(reply),
      onOpened: (id) => {
        requestId = id;
      },
    });
    const time = delay(clock, waitMsOf(request, waitSeconds));
    const waited = Promise.all([written.done, time.done]).then(() => null);
    try {
      const over = await Promise.race([ended, waited]);
      if (over !== null) return over;
    } finally {
      written.stop();
      time.stop();
    }
    ended.catch(onError);
    const going = await ownCall(gateway, caller, String(requestId));
    if (isOpen(going)) void reply.code(202).header('location', `${restBase}/calls/${going.requestId}`);
    return going;
  },
});
