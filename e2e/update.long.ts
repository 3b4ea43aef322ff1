import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packedDaemon, packedPath, releaseName } from '@drawbridge/contracts/release';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { seal } from '../apps/daemon/pack.ts';
import { createProcesses, newFolder, run, startServer, textOf, until } from './harness/index.ts';
import { fromRoot } from './harness/paths.ts';
import { describeWith } from './services.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

const built = (file: string) => fromRoot(`apps/daemon/dist/${file}`);
const about = (folder: string) =>
  packedDaemon.parse(JSON.parse(readFileSync(join(folder, 'daemon.json'), 'utf8')));

/** The same program as a later release, packed as the build packs it. */
const packNext = async (version: string, to: string): Promise<void> => {
  const staged = newFolder('staged');
  execFileSync('tar', ['-xzf', built('daemon.tgz'), '-C', staged, '--strip-components=1']);
  const path = join(staged, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...manifest, version }));
  await seal(staged, to);
};

describeWith('registry')('an update from one build to the next', () => {
  it('by the command of the panel and by drawbridge update', async () => {
    const given = newFolder('given');
    for (const file of ['daemon.tgz', 'daemon.json']) copyFileSync(built(file), join(given, file));
    const first = about(given);
    const server = await startServer(processes, { DAEMON_FILE: join(given, 'daemon.tgz') });
    const ann = await server.createOwner();
    const command = async () => (await ann.api.gateway.createLink.mutate()).command;

    const [home, npm, work] = [newFolder('home'), newFolder('npm'), newFolder('work')];
    const env = { HOME: home, npm_config_cache: npm, DRAWBRIDGE_NON_INTERACTIVE: '1' };
    const shell = (line: string) => processes.start({ command: 'sh', args: ['-c', line], cwd: work, env });
    const launcher = join(home, '.local/bin/drawbridge');
    const installed = () =>
      execFileSync(launcher, ['--version'], { env: { ...process.env, ...env } })
        .toString()
        .trim();
    const online = (update?: object) =>
      until(async () => {
        const now = await ann.api.gateway.status.query();
        return now.state === 'online' && JSON.stringify(now.update) === JSON.stringify(update) && now;
      });

    const oldCommand = await command();
    expect(oldCommand).toMatch(/^npx --yes http:\S+ http:\S+ gw_\S+$/);
    expect(oldCommand).toContain(` ${server.url}${packedPath(first)} `);
    const running = shell(`exec ${oldCommand} --install`);
    const { directory } = await online();
    expect(installed()).toBe(releaseName(first));

    // Pasted into an empty folder, it shares that folder and leaves nothing in it.
    expect([directory, readdirSync(work)]).toEqual([work, []]);
    writeFileSync(join(work, 'here.txt'), 'found');
    // The search needs the one dependency that npm fetched.
    const search = await run(ann, 'search_files', { name: '*.txt', query: 'found' });
    expect(textOf(search)).toContain('here.txt');

    await server.end('SIGTERM');
    await packNext('0.99.0', given);
    const second = about(given);
    expect(second.build).not.toBe(first.build);
    await server.restart();
    const change = { from: releaseName(first), to: releaseName(second), is: 'newer' };
    await online(change);
    await running.says(
      new RegExp(`^update +the server has ${change.to}, this machine runs ${change.from}\\. Run `, 'm'),
    );
    expect(installed()).toBe(change.from);

    // npx keeps what it has fetched from an address; the new one has an address of its own.
    const address = (await command()).split(' ')[2] ?? '';
    expect(address).toBe(server.url + packedPath(second));
    const fetched = shell(`npx --yes ${address} --version`);
    await fetched.says(new RegExp(`^${change.to}$`, 'm'));
    const gone = await fetch(server.url + packedPath(first));
    expect([gone.status, await gone.json()]).toEqual([
      404,
      expect.objectContaining({ error: expect.stringContaining(`npx --yes ${address}`) }),
    ]);

    const update = shell(`${launcher} update --yes`);
    await update.says(new RegExp(`^updated +from ${change.from} to ${change.to}$`, 'm'));
    await update.says(/^restart +process \d+ still runs /m);
    expect((await update.exit).code).toBe(0);
    expect(installed()).toBe(change.to);
    await online(change);

    const status = execFileSync(launcher, ['status', '--json'], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    const { daemons } = z
      .object({ daemons: z.tuple([z.object({ pid: z.number() })]) })
      .parse(JSON.parse(status));
    // Not the process of npx, which passes no signal on.
    process.kill(daemons[0].pid, 'SIGTERM');
    await running.says(/^stopped /m);
    shell(`exec ${launcher} connect`);
    await online();
  });
});
