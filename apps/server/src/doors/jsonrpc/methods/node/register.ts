import { nodeRegistered as result, nodeRegisterParams } from '@drawbridge/contracts/rpc/nodes';
import { method } from '../../method.ts';

const policyViolation = 1008;

/** Makes the connection a companion until it closes; a newer one with the same id replaces it. */
export const nodeRegister = method({
  name: 'node.register',
  who: 'node',
  params: nodeRegisterParams,
  result,
}).handle(async ({ companions }, { connection, params }) => {
  const { id, identity, signal } = connection;
  const registered = await companions.register(
    {
      id,
      userId: identity.userId,
      isOpen: () => !signal.aborted,
      onReplaced: () => {
        connection.event({ event: 'node_replaced', data: { nodeId: params.nodeId } });
        connection.close(policyViolation);
      },
    },
    params,
  );
  connection.onClosed(() => companions.leave(id));
  return registered;
});
