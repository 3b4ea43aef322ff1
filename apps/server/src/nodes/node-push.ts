import { nodeLimits, type NodePushParams } from '@drawbridge/contracts/rpc/nodes';
import type { RuntimeSettings } from '@drawbridge/contracts/rpc/settings';
import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { MobileSenders, Push } from '../notify/index.ts';
import type { Sealer } from '../secrets/index.ts';
import type { ConnectedNode } from './known-nodes.ts';
import type { PushTokensStore, SealedPushToken } from './push-tokens.store.ts';

interface Needs {
  clock: Clock;
  store: PushTokensStore;
  sealer: Sealer;
  senders: MobileSenders;
  /** Which parts the owner has turned on. */
  gates(): Promise<RuntimeSettings['nodes']>;
  /** Whether an access token of a person may use nodes now. */
  mayUseNodes(userId: string, tokenId: string): Promise<boolean>;
  warn(sentence: string): void;
}

const nodeKey = z.tuple([z.string(), z.string()]);
const bearer = z.tuple([z.string(), z.literal('token'), z.string()]);

/** Null for a session and for a login of the tailnet: its end would not end the notifications. */
const accessTokenOf = (key: string): string | null => {
  const principal = nodeKey.safeParse(jsonOf(key)).data?.[0];
  return bearer.safeParse(jsonOf(principal ?? '')).data?.[2] ?? null;
};

const purposeOf = (userId: string, { nodeId, provider }: Pick<SealedPushToken, 'nodeId' | 'provider'>) =>
  JSON.stringify(['node-push', userId, nodeId, provider]);

/** The push tokens of nodes, and what is sent with them. */
export const createNodePush = ({ clock, store, sealer, senders, gates, mayUseNodes, warn }: Needs) => {
  const senderOf = (provider: string) =>
    provider === 'fcm' || provider === 'apns' ? senders[provider] : null;

  /** Forgotten with the access token that set it: it may lead to a device of somebody else. */
  const isUsable = async (userId: string, row: SealedPushToken): Promise<boolean> => {
    const accessToken = accessTokenOf(row.nodeId);
    if (accessToken === null) return false;
    const isAllowed = await mayUseNodes(userId, accessToken);
    if (!isAllowed) await store.remove(userId, row);
    return isAllowed;
  };

  const sendTo = async (userId: string, row: SealedPushToken, push: Push): Promise<void> => {
    const send = senderOf(row.provider);
    if (send === null || !(await isUsable(userId, row))) return;
    const token = sealer.unseal(row.sealed, purposeOf(userId, row));
    if (token === null) return;
    const sent = await send(token, push);
    if (sent.kind === 'gone') await store.remove(userId, row);
    if (sent.kind === 'failed') warn(`A notification to a node was not sent by ${row.provider}: ${sent.why}`);
  };

  return {
    /** Stores a token of a node, encrypted. */
    set: async ({ key: nodeId, userId }: ConnectedNode, { provider, token }: NodePushParams) => {
      // The column has the key: a token of another principal's companion is neither seen nor replaced.
      const sealed = sealer.seal(token, purposeOf(userId, { nodeId, provider }));
      const preview = `…${token.slice(-4)}`;
      await store.put({ userId, nodeId, provider, sealed, preview, updatedAt: clock.now() });
      await store.trim(userId, nodeLimits.known);
      const deliverable = senderOf(provider) !== null && accessTokenOf(nodeId) !== null;
      return { provider, tokenPreview: preview, deliverable };
    },
    ofUser: store.ofUser,
    /** Sends to each node of a person whose service is set up; what fails is a line in the log. */
    send: async (userId: string, push: Push): Promise<void> => {
      if (senders.fcm === null && senders.apns === null) return;
      const { enabled, push: isOn } = await gates();
      if (!enabled || !isOn) return;
      const rows = await store.sealedOfUser(userId);
      await Promise.all(rows.map((row) => sendTo(userId, row, push)));
    },
  };
};

export type NodePush = ReturnType<typeof createNodePush>;
