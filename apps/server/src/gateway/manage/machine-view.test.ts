import { machineOf } from '../../callers/index.ts';
import { expect, it } from 'vitest';
import { connect, initBody, useGateway, ended, runCall } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const seen = async (userId: string, machineId?: string) => {
  const machine = await machineOf(fixture.gateway, { userId, ...(machineId !== undefined && { machineId }) });
  return machine && { state: machine.status().state, tools: [...machine.tools.keys()] };
};
const tools = ['read_file', 'write_file'];

it('shows the tools of a machine, also while it is offline and after a restart', async () => {
  await fixture.open();
  expect(await seen('ada')).toBeNull();
  const { key } = await fixture.connect('ada');
  expect(await seen('ada')).toEqual({ state: 'online', tools });
  await fixture.gateway.daemon.disconnect(key);
  expect(await seen('ada')).toEqual({ state: 'offline', tools });
  await fixture.crash();
  expect(await seen('ada')).toMatchObject({ tools });
});

it('names a machine of the user, and no other', async () => {
  await fixture.open({ gatewayApiKey: 'k'.repeat(32), owners: ['ada'] });
  const { gateway } = fixture;
  await connect(gateway, 'bob');
  await gateway.daemon.init('k'.repeat(32), initBody({ tools: [] }));
  const bobs = (await machineOf(gateway, { userId: 'bob' }))?.ref.machineId;
  const environments = (await machineOf(gateway, { userId: 'ada' }))?.ref.machineId;
  expect(await seen('bob', bobs)).toEqual({ state: 'online', tools });
  expect(await seen('ada', environments)).toMatchObject({ tools: [] });
  for (const [user, id] of [
    ['ada', bobs],
    ['bob', environments],
    ['ada', 'unknown'],
  ] as const) {
    await expect(gateway.machines.find(user, id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const ref = { userId: user, machineId: id ?? '' };
    const call = { name: 'read_file', arguments: {} };
    await expect(runCall(gateway, { ref, call }, ended)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});
