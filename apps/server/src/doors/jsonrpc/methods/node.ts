import {
  nodeCapabilities,
  nodeLocationNow,
  nodeLocationParams,
  nodeLocationSet,
  nodePushParams,
  nodePushSet,
  nodeRegisterParams,
  nodeRegistered,
  nodeStatusParams,
  nodeStatusSet,
} from '@drawbridge/contracts/rpc/nodes';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { method } from '../method.ts';

const policyViolation = 1008;

/** Makes the connection a companion until it closes; a newer one of its token with that id replaces it. */
export const nodeRegister = method('node.register', 'node', {
  params: nodeRegisterParams,
  result: nodeRegistered,
}).handle(async ({ companions }, { connection, params }) => {
  const { id, identity, signal } = connection;
  const registered = await companions.register(
    {
      id,
      userId: identity.userId,
      principal: identity.principal,
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

/** What the node of this connection has declared and may use. */
export const nodeCapabilitiesGet = method('node.capabilities.get', 'node', {
  params: noParams,
  result: nodeCapabilities,
}).handle(async ({ companions }, { connection }) => companions.capabilities(connection.id));

export const nodeStatusSetMethod = method('node.status.set', 'node', {
  params: nodeStatusParams,
  result: nodeStatusSet,
}).handle(async ({ companions }, { connection, params }) => companions.setStatus(connection.id, params));

export const nodeLocationSetMethod = method('node.location.set', 'node', {
  params: nodeLocationParams,
  result: nodeLocationSet,
}).handle(async ({ companions }, { connection, params }) => companions.setLocation(connection.id, params));

export const nodeLocationGet = method('node.location.get', 'node', {
  params: noParams,
  result: nodeLocationNow,
}).handle(async ({ companions }, { connection }) => companions.location(connection.id));

/** Stores the token encrypted; questions of the user are sent with it. */
export const nodePushTokenSet = method('node.push_token.set', 'node', {
  params: nodePushParams,
  result: nodePushSet,
}).handle(async ({ companions }, { connection, params }) => companions.setPushToken(connection.id, params));
