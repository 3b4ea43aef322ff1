import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createProcesses, newFolder, run, startServer, textOf, until } from './harness/index.ts';
import { describeWith } from './services.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

describeWith('registry')('the command of the panel', () => {
  it('pasted into a shell in an empty folder, connects that machine', async () => {
    const server = await startServer(processes);
    const ann = await server.createOwner();
    const { command } = await ann.api.gateway.createLink.mutate();
    expect(command).toMatch(/^npx --yes http:\S+\/daemon\.tgz http:\S+ gw_\S+$/);

    const [folder, home] = [newFolder('empty'), newFolder('home')];
    processes.start({
      command: 'sh',
      args: ['-c', command],
      cwd: folder,
      env: { HOME: home, DRAWBRIDGE_NON_INTERACTIVE: '1', npm_config_cache: newFolder('npm') },
    });
    const status = await until(async () => {
      const now = await ann.api.gateway.status.query();
      return now.state === 'online' && now;
    });
    expect(status.directory).toBe(folder);
    expect(readdirSync(folder)).toEqual([]);

    writeFileSync(join(folder, 'here.txt'), 'found');
    expect(textOf(await run(ann, 'read_file', { filePath: 'here.txt' }))).toContain('found');
    // The search needs the one dependency that npm fetched.
    const search = await run(ann, 'search_files', { pattern: 'found', query: 'found', dirPath: '.' });
    expect(search.tool).toBe('search_files');
  });
});
