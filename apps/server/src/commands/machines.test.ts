import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { expect, it } from 'vitest';
import { commandsFor } from '../../test/chores.ts';
import { openStream } from '../../test/daemon.ts';
import { initBody } from '../../test/gateway-fixture.ts';
import { createPanel } from '../../test/panel.ts';
import { owner, signUpOwner, startServer } from '../../test/server.ts';

const { email } = owner;
const mount = daemonMounts.bare;

/** A running server whose owner has paired `laptop`, then `desk`; both are connected. */
const open = async () => {
  const server = await startServer();
  const panel = createPanel(server, await signUpOwner(server));
  const pair = async (host: string) => {
    const { token } = await panel.gateway.createLink.mutate();
    const paired = await server.send(`${mount}/init`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: token },
      body: initBody({ hostIdentifier: `ada@${host}`, rootPath: `/home/ada/${host}` }),
    });
    const headers = { [gatewayKeyHeader]: (paired.json as { sessionKey: string }).sessionKey };
    return { headers, stream: await openStream(`${server.url}${mount}/events`, headers) };
  };
  return { server, panel, laptop: await pair('laptop'), desk: await pair('desk') };
};

it('lists, renames and chooses the machines of a person beside the running server', async () => {
  const { server, panel } = await open();
  const commands = commandsFor(server.dataDir);
  await commands.listMachines({ email, json: false });
  expect(commands.out()).toBe(
    [
      'laptop  connected           "ada@laptop"  "/home/ada/laptop"',
      'desk    connected  default  "ada@desk"    "/home/ada/desk"',
      '',
    ].join('\n'),
  );
  expect(await panel.gateway.status.query()).toMatchObject({ directory: '/home/ada/desk' });
  await commands.setDefaultMachine({ email, machine: 'laptop' });
  await commands.renameMachine({ email, machine: 'laptop', name: 'attic' });
  await expect.poll(() => panel.gateway.status.query()).toMatchObject({ directory: '/home/ada/laptop' });
  const machine = { email, machine: 'desk' };
  await expect(commands.renameMachine({ ...machine, name: 'attic' })).rejects.toMatchObject({
    code: 'MACHINE_NAME_TAKEN',
  });
  await expect(commands.forgetMachine({ email, machine: 'laptop' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    fix: 'Paired machines: attic, desk.',
  });
});

it('disconnects one machine and leaves the other, then removes it from the list', async () => {
  const { server, panel, laptop, desk } = await open();
  const commands = commandsFor(server.dataDir);
  const machine = { email, machine: 'laptop' };
  await expect(commands.forgetMachine(machine)).rejects.toMatchObject({ code: 'MACHINE_CONNECTED' });
  await commands.disconnectMachine(machine);
  await laptop.stream.ended;
  await expect
    .poll(() =>
      commands.forgetMachine(machine).then(
        () => 'forgotten',
        () => 'connected',
      ),
    )
    .toBe('forgotten');
  const refused = await server.send(`${mount}/init`, {
    method: 'POST',
    headers: laptop.headers,
    body: initBody(),
  });
  expect(refused.status).toBe(403);
  await commands.listMachines({ email, json: true });
  expect(JSON.parse(commands.out())).toMatchObject([{ name: 'desk', isConnected: true, isDefault: true }]);
  expect(await panel.gateway.status.query()).toMatchObject({ state: 'online', directory: '/home/ada/desk' });
  const answered = await server.send(`${mount}/probe`, {
    method: 'POST',
    headers: desk.headers,
    body: { id: 1 },
  });
  expect(answered.status).toBe(200);
});
