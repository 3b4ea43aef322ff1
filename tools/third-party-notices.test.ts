import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = mkdtempSync(join(tmpdir(), 'notices-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** A package with the text `<name> says so`, and what else is given. */
const install = (folder: string, manifest: object, files: Record<string, string> = {}) => {
  const name = folder.split('node_modules/').at(-1) ?? '';
  put(`${folder}/package.json`, JSON.stringify({ name, version: '1.2.3', license: 'MIT', ...manifest }));
  for (const [file, text] of Object.entries(files)) put(`${folder}/${file}`, text);
};

install('node_modules/plain', {}, { LICENSE: 'plain says so\n' });
install('node_modules/@some/scoped', { license: 'ISC' }, { 'licence.md': 'scoped says so' });
install('node_modules/plain/node_modules/inner', {}, { 'LICENSE.txt': 'inner says so' });
install('node_modules/noted', { license: 'Apache-2.0' }, { LICENSE: 'noted says so', NOTICE: 'and this' });
install(
  'node_modules/older',
  { license: undefined, licenses: [{ type: 'MIT' }] },
  { COPYING: 'older says so' },
);
install('node_modules/silent', {});
install('node_modules/strict', { license: 'AGPL-3.0' }, { LICENSE: 'strict says so' });
install('node_modules/nameless', { license: undefined }, { LICENSE: 'nameless says so' });
// Only says how its modules are read.
put('node_modules/plain/esm/package.json', '{"type":"module"}');

const written = async (moduleIds: string[], options = {}): Promise<string> => {
  const files: { fileName: string; source: string }[] = [];
  const { generateBundle } = thirdPartyNotices({ fileName: 'NOTICES', ...options });
  const context = { emitFile: (file: (typeof files)[number]) => files.push(file) };
  const bundle = { 'a.js': { moduleIds }, 'b.js': { moduleIds: moduleIds.slice(0, 1) }, 'a.css': {} };
  await generateBundle.call(context, {}, bundle);
  expect(files.map(({ fileName }) => fileName)).toEqual(['NOTICES']);
  return files[0]?.source ?? '';
};

const at = (path: string) => join(root, path);
const heads = (text: string) => text.split('\n').filter((line) => /^\S+ \d\S* \(/.test(line));

it.each<[string, string[], object, string[], string[]]>([
  ['nothing of others', ['src/main.ts', '\0rolldown/runtime.js'].map(at), {}, [], []],
  [
    'a package once',
    ['node_modules/plain/a.js', 'node_modules/plain/esm/b.js'].map(at),
    {},
    ['plain 1.2.3 (MIT)'],
    ['plain says so'],
  ],
  [
    'packages by name',
    ['node_modules/plain/a.js', 'node_modules/@some/scoped/a.js'].map(at),
    {},
    ['@some/scoped 1.2.3 (ISC)', 'plain 1.2.3 (MIT)'],
    ['scoped says so', 'plain says so'],
  ],
  [
    'a package inside of another',
    [at('node_modules/plain/node_modules/inner/a.js')],
    {},
    ['inner 1.2.3 (MIT)'],
    ['inner says so'],
  ],
  [
    'what a bundler makes of a module',
    [`\0${at('node_modules/plain/a.js')}?commonjs`],
    {},
    ['plain 1.2.3 (MIT)'],
    ['plain says so'],
  ],
  [
    'a notice beside the licence',
    [at('node_modules/noted/a.js')],
    {},
    ['noted 1.2.3 (Apache-2.0)'],
    ['noted says so', 'and this'],
  ],
  [
    'a manifest of the older form',
    [at('node_modules/older/a.js')],
    {},
    ['older 1.2.3 (MIT)'],
    ['older says so'],
  ],
  ['what is no module', [], { also: [at('node_modules/plain')] }, ['plain 1.2.3 (MIT)'], ['plain says so']],
  [
    'a text that the package lacks',
    [at('node_modules/silent/a.js')],
    { texts: { silent: 'given' } },
    ['silent 1.2.3 (MIT)'],
    ['given'],
  ],
])('names %s', async (_name, moduleIds, options, named, texts) => {
  const text = await written(moduleIds, options);
  expect(heads(text)).toEqual(named);
  for (const one of texts) expect(text).toContain(one);
});

it.each([
  ['a licence that is not allowed', 'strict', 'its licence is AGPL-3.0'],
  ['no licence', 'nameless', 'its licence is none'],
  ['no text', 'silent', 'brings no text of its licence'],
])('ends the build for a package with %s', async (_name, name, message) => {
  await expect(written([at(`node_modules/${name}/a.js`)])).rejects.toThrow(message);
});
