import { pairingCodes, pairingGenerateParams, pairingGenerated } from '@drawbridge/contracts/rpc/settings';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { errors } from '../../../errors.ts';
import { method } from '../method.ts';

const channel = 'machine';
const iso = (at: number) => new Date(at).toISOString();

/** The code that pairs a machine, with the command for it; the unused one while there is one. */
export const pairingGenerate = method('pairing.generate', 'person', {
  params: pairingGenerateParams,
  result: pairingGenerated,
}).handle(async ({ gateway }, { connection: { identity }, params }) => {
  if (params.channel !== channel)
    throw errors.notAvailable({
      message: 'Only machines are paired here',
      fix: `Leave out channel, or send "${channel}".`,
    });
  const { token, command, expiresAt } = await gateway.pairing.createLink(identity.userId);
  if (expiresAt === null) throw errors.conflict();
  return { code: token, expiresAt, command };
});

/** The unused codes that have not expired, masked. */
export const pairingList = method('pairing.list', 'reader', {
  params: noParams,
  result: pairingCodes,
}).handle(async ({ gateway }, { connection: { identity } }) => ({
  codes: (await gateway.pairing.list(identity.userId)).map(({ createdAt, expiresAt }) => ({
    code: 'gw_…',
    channel,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
  })),
}));
