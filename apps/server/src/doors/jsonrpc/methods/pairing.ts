import { channelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import {
  pairingChannels,
  pairingCodes,
  pairingGenerateParams,
  pairingGenerated,
} from '@drawbridge/contracts/rpc/settings';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { errors } from '../../../errors.ts';
import type { RpcContext } from '../context.ts';
import { method } from '../method.ts';

const machine = 'machine';
const iso = (at: number) => new Date(at).toISOString();

/** A code for a sender of a chat platform, without tools: its person gives them in the panel. */
const codeForSender = async ({ channels }: RpcContext, userId: string, channel: string) => {
  const kind = channelKind.safeParse(channel);
  const isOn = (await channels.list(false)).some((one) => one.kind === kind.data && one.isOn);
  if (!kind.success || !isOn)
    throw errors.notAvailable({
      message: 'This channel is not connected',
      fix: `Send one of ${pairingChannels.join(', ')}; the owner connects a channel in the panel, under Settings, Channels.`,
    });
  const made = await channels.codes.create(userId, { kind: kind.data, groups: [], usesMemory: false });
  return { code: made.code, expiresAt: made.expiresAt, ...(made.link !== null && { link: made.link }) };
};

/**
 * The code that pairs a machine, with the command for it; the unused one while there is one. For a chat
 * platform, a code that the sender writes to its bot.
 */
export const pairingGenerate = method('pairing.generate', 'person', {
  params: pairingGenerateParams,
  result: pairingGenerated,
}).handle(async (ctx, { connection: { identity }, params: { channel } }) => {
  if (channel !== machine) return codeForSender(ctx, identity.userId, channel);
  const { token, command, expiresAt } = await ctx.gateway.pairing.createLink(identity.userId);
  if (expiresAt === null) throw errors.conflict();
  return { code: token, expiresAt, command };
});

/** The unused codes that have not expired: masked, but those for senders to their person. */
export const pairingList = method('pairing.list', 'reader', {
  params: noParams,
  result: pairingCodes,
}).handle(async ({ gateway, channels }, { connection: { identity } }) => {
  const machines = (await gateway.pairing.list(identity.userId)).map(({ createdAt, expiresAt }) => ({
    code: 'gw_…',
    channel: machine,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
  }));
  const senders = (await channels.codes.list(identity.userId)).map(({ code, kind, expiresAt }) => ({
    code: identity.kind === 'person' ? code : '…',
    channel: kind,
    createdAt: iso(Date.parse(expiresAt) - channelLimits.codeMs),
    expiresAt,
  }));
  return { codes: [...machines, ...senders] };
});
