import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { allText } from '../apps/daemon/test/support/browser-fixture.ts';
import { sharedNetwork } from '../apps/daemon/test/support/network-fixture.ts';
import { copyPackages } from '../apps/daemon/test/support/own-packages.ts';
import { files } from '../apps/daemon/test/support/package-sites.ts';
import { ada, sharedProcesses } from '../apps/daemon/test/support/process-fixture.ts';
import { startPostgres } from './cluster/index.ts';
import { describeWith } from './services.ts';

const repository = join(import.meta.dirname, '..');
const wait = { waitMs: 60_000 };

describeWith('bubblewrap', 'chromium')('Vite in a process', () => {
  const browser = {
    mode: 'ephemeral' as const,
    serverUrl: 'http://127.0.0.1:9',
    resolve: async () => ['127.0.0.1'],
  };
  const world = sharedProcesses({ modes: { shell: 'ask', browser: 'ask' }, toolsets: { browser } });

  it('SU-45, SU-46 the browser opens its page after the one question of the process, and edits reach the page', async () => {
    const { start, send, questions, root, stop } = await world();
    copyPackages(join(repository, 'apps/web'), root, ['vite']);
    files(root, {
      'package.json': '{ "type": "module", "scripts": { "dev": "vite --strictPort" } }',
      'index.html': '<body><h1>first</h1><script type="module" src="/main.js"></script></body>',
      'main.js':
        'import { word } from "./word.js";\nconst show = (text) => { document.body.append(` ${text} ${performance.timeOrigin}`); };\nshow(word);\nimport.meta.hot.accept("./word.js", (next) => show(next.word));\n',
      'word.js': 'export const word = "one";\n',
    });
    const ports = { ports: [5173], waitFor: ['Local:'], ...wait };
    const { process: id, found } = await start('node node_modules/vite/bin/vite.js --strictPort', ports);
    expect([found, questions.length]).toEqual(['Local:', 1]);
    const browse = async (name: string, args: Record<string, unknown> = {}) =>
      allText(
        await send({ requestId: `${Math.random()}`, toolCall: { name, arguments: args }, caller: ada }),
      );
    await browse('browser_navigate', { url: `http://${id}.localhost:5173/` });
    const loaded = await browse('browser_wait_for', { text: 'one' });
    const origin = /one (\d+[.\d]*)/.exec(loaded)?.[1] ?? 'none';
    writeFileSync(join(root, 'word.js'), 'export const word = "two";\n');
    // The same page: the module alone was replaced, over the connection that Vite opened.
    expect(await browse('browser_wait_for', { text: `two ${origin}` })).toContain(`two ${origin}`);
    writeFileSync(join(root, 'index.html'), '<body><h1>second</h1></body>');
    expect(await browse('browser_wait_for', { text: 'second' })).toContain('second');
    expect(await stop(id, { signal: 'INT' })).toMatchObject({ state: 'ended' });
    expect(questions.length).toBe(1);
  });
});

describeWith('bubblewrap', 'script')('watchers in a process', () => {
  const world = sharedProcesses({ modes: { shell: 'ask' } });

  it('SU-49 tsc --watch reports an error after an edit, and that it is gone, after one question', async () => {
    const { start, read, questions, root } = await world();
    copyPackages(repository, root, ['typescript']);
    files(root, { 'a.ts': 'export const a: number = 1;\n' });
    const tsc = 'node node_modules/typescript/bin/tsc --watch --noEmit a.ts';
    const first = await start(tsc, { waitFor: ['Found 0 errors'], ...wait });
    expect(first.found).toBe('Found 0 errors');
    writeFileSync(join(root, 'a.ts'), 'export const a: number = "x";\n');
    const next = { waitFor: ['Found 1 error', 'Found 0 errors'], ...wait };
    const failed = await read(first.process, { cursor: first.cursor, ...next });
    expect([failed.found, failed.output]).toEqual(['Found 1 error', expect.stringContaining('TS2322')]);
    writeFileSync(join(root, 'a.ts'), 'export const a: number = 2;\n');
    const mended = await read(first.process, { cursor: failed.cursor, ...next });
    expect([mended.found, questions.length]).toEqual(['Found 0 errors', 1]);
  });

  it('SU-50 vitest in a terminal runs again after an edit, and ends with q, after one question', async () => {
    const { start, read, write, questions, root } = await world();
    copyPackages(repository, root, ['vitest']);
    files(root, {
      'package.json': '{ "type": "module" }',
      'word.js': 'export const word = "one";\n',
      'a.test.js':
        'import { expect, it } from "vitest";\nimport { word } from "./word.js";\nit("a", () => expect(word).toBe("one"));\n',
    });
    const watch = { terminal: {}, input: true, waitFor: ['PASS'], ...wait };
    const first = await start('node node_modules/vitest/vitest.mjs', watch);
    expect(first).toMatchObject({ found: 'PASS' });
    writeFileSync(join(root, 'word.js'), 'export const word = "two";\n');
    const failed = await read(first.process, { cursor: first.cursor, waitFor: ['FAIL'], ...wait });
    expect(failed.found).toBe('FAIL');
    await write(first.process, 'q', { waitMs: 0 });
    expect(await read(first.process, { waitFor: ['never'], ...wait })).toMatchObject({ state: 'ended' });
    expect(questions.length).toBe(1);
  });
});

describeWith('bubblewrap', 'postgresql')('a database of this machine', () => {
  const world = sharedNetwork(() => ({ names: {}, modes: { shell: 'ask' } }));

  it('SU-38 npm test asks it with psql at localhost after one question', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const { port } = new URL(postgres.url);
    const { run, root, questions } = world();
    const ask = `psql -h localhost -p ${port} -U postgres -Atc 'select 6 * 7' > answer`;
    files(root, { 'package.json': JSON.stringify({ scripts: { test: ask } }) });
    const tested = await run('npm test --silent', [`localhost:${port}`]);
    expect([tested.stderr, tested.exitCode, questions.length]).toEqual(['', 0, 1]);
    expect(readFileSync(join(root, 'answer'), 'utf8')).toBe('42\n');
  });
});
