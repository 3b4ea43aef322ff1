import { afterEach, describe, expect, it } from 'vitest';
import {
  connect,
  initBody,
  openGateway,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(async () => {
  expect(fixture.errors).toEqual([]);
  await fixture.close();
});

const read = { name: 'read_file', arguments: {} };
const ended = { door: 'trpc', until: 'ended' } as const;
const off = { code: 'GATEWAY_DISABLED' };

const open = async () => {
  fixture = await openGateway({ owners: ['ada'], gatewayApiKey: 'k'.repeat(32) });
  const { gateway } = fixture;
  return { ...fixture, ada: await connect(gateway, 'ada'), ben: await connect(gateway, 'ben') };
};

const facts = { enabled: false, localGateway: true, localGatewayFallbackDirectory: null };

describe('the off switches', () => {
  it('start on', async () => {
    const { gateway } = await open();
    const shown = { ...facts, localGatewayDisabled: false, disabledByOwner: false, disabledByUser: false };
    expect(await gateway.settings.get('ada')).toEqual({ ...shown, isOwner: true, canShareFolder: true });
    expect(await gateway.settings.get('ben')).toEqual({ ...shown, isOwner: false, canShareFolder: false });
  });

  it('a user’s own ends their machine, key and link, and no one else’s', async () => {
    const { gateway, ben, ada, clock } = await open();
    const { token } = await gateway.pairing.createLink('cleo');
    expect(await gateway.settings.update('ben', { disabledByUser: true })).toMatchObject({
      localGatewayDisabled: true,
      disabledByUser: true,
    });
    expect(ben.stream.events).toEqual([{ type: 'gateway-disconnect', payload: { reason: 'user' } }]);
    await expect(callerOf(gateway, 'ben').run(read, ended)).rejects.toMatchObject(off);
    await expect(gateway.pairing.createLink('ben')).rejects.toMatchObject(off);
    await expect(gateway.daemon.init(ben.key, initBody())).rejects.toMatchObject({ code: 'PAIRING_ENDED' });
    void callerOf(gateway, 'ada')
      .run(read, ended)
      .catch(() => {});
    await clock.settle();
    expect(ada.stream.requests()).toHaveLength(1);
    expect(await gateway.daemon.init(token, initBody())).toMatchObject({ ok: true });
    expect(await gateway.settings.update('ben', { disabledByUser: false })).toMatchObject({
      localGatewayDisabled: false,
    });
    expect(await connect(gateway, 'ben')).toMatchObject({ key: expect.stringMatching(/^sess_/) });
  });

  it('the owner’s ends everybody’s, also the environment’s, and outlives a restart', async () => {
    const { gateway, ada, ben, crash } = await open();
    const { token } = await gateway.pairing.createLink('cleo');
    await gateway.settings.update('ada', { disabledByOwner: true });
    const closed = [ada.stream.isClosed(), ben.stream.isClosed()];
    fixture = await crash();
    expect(closed).toEqual([true, true]);
    for (const key of [ada.key, ben.key])
      await expect(fixture.gateway.daemon.init(key, initBody())).rejects.toMatchObject({
        code: 'PAIRING_ENDED',
      });
    await expect(fixture.gateway.daemon.init(token, initBody())).rejects.toMatchObject({
      code: 'PAIRING_TOKEN_EXPIRED',
    });
    await expect(fixture.gateway.daemon.init('k'.repeat(32), initBody())).rejects.toMatchObject(off);
    await expect(fixture.gateway.pairing.createLink('dora')).rejects.toMatchObject(off);
    expect(await fixture.gateway.settings.get('dora')).toMatchObject({
      localGatewayDisabled: true,
      disabledByOwner: true,
      disabledByUser: false,
    });
  });

  it('the owner’s is the owner’s alone', async () => {
    const { gateway } = await open();
    const input = { disabledByOwner: true, disabledByUser: true };
    await expect(gateway.settings.update('ben', input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await gateway.settings.get('ben')).toMatchObject({
      disabledByOwner: false,
      disabledByUser: false,
    });
  });
});
