import { noParams, success } from '@drawbridge/contracts/rpc/system';
import { method } from '../../method.ts';
import { closeCodes } from '../../socket/connection.ts';

/** Closes the connection behind the answer; runs that were accepted continue. */
export const systemDisconnect = method({
  name: 'system.disconnect',
  who: 'any',
  params: noParams,
  result: success,
}).handle(async (_ctx, { connection, afterReply }) => {
  afterReply(() => connection.close(closeCodes.normal));
  return { success: true };
});
