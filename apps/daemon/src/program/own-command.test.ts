import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { commandFrom } from './own-command.ts';

const address = 'https://bridge.example.org/daemon-0.1.0-0123456789ab.tgz';

const makeHome = () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-own-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    const whole = join(home, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    chmodSync(whole, 0o755);
    return whole;
  };
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    symlinkSync(target, join(home, path));
    return dirname(join(home, path));
  };
  const installed = () => {
    const program = put('.drawbridge/versions/0.1.0-0123456789ab/cli.cjs', 'program');
    return link('.local/bin/drawbridge', program);
  };
  const byNpx = (note: unknown = { _npx: { packages: [address] } }) => {
    put('.npm/_npx/01ab/package.json', JSON.stringify(note));
    const script = put('.npm/_npx/01ab/node_modules/@drawbridge/daemon/dist/cli.cjs', 'program');
    const bin = link('.npm/_npx/01ab/node_modules/.bin/drawbridge', script);
    return { script: join(bin, 'drawbridge'), bin };
  };
  const command = (script: string, path: string) =>
    commandFrom({ script, node: process.execPath, path, home });
  return { home, put, link, installed, byNpx, command };
};

const nodeFolder = dirname(process.execPath);

it('is npx with its address until it is installed, though npx puts its own folder in front', () => {
  const { byNpx, command } = makeHome();
  const { script, bin } = byNpx();
  expect(command(script, `${bin}:/usr/bin`)).toBe(`npx --yes ${address}`);
});

it('knows the address from the dependencies of an older npm, and quotes what a shell would read', () => {
  const { byNpx, command } = makeHome();
  const { script } = byNpx({ dependencies: { '@drawbridge/daemon': "file:/a b/it's.tgz" } });
  expect(command(script, '/usr/bin')).toBe(String.raw`npx --yes -p 'file:/a b/it'\''s.tgz' drawbridge`);
});

it('is the bare name once it is installed and in PATH, also for a run by npx', () => {
  const { byNpx, installed, command } = makeHome();
  const folder = installed();
  const { script, bin } = byNpx();
  expect(command(script, `${bin}:/usr/bin:${folder}`)).toBe('drawbridge');
});

it('is the path of the launcher where PATH does not lead to it', () => {
  const { home, put, byNpx, installed, command } = makeHome();
  installed();
  const { script } = byNpx();
  const launcher = `${home}/.local/bin/drawbridge`;
  expect(command(script, '/usr/bin')).toBe(launcher);
  const foreign = dirname(put('bin/drawbridge', 'another program of that name'));
  expect(command(script, `${foreign}:${dirname(launcher)}`)).toBe(launcher);
});

it('is the bare name for a link in PATH to this program, and not for another program of that name', () => {
  const { put, link, command } = makeHome();
  const script = put('lib/dist/cli.cjs', 'program');
  expect(command(script, link('bin/drawbridge', script))).toBe('drawbridge');
  const foreign = dirname(put('other/drawbridge', 'another program'));
  expect(command(script, `${foreign}:${nodeFolder}`)).toBe(`node ${script}`);
});

it('is Node with the file elsewhere, by its path where PATH has another Node', () => {
  const { put, command } = makeHome();
  const script = put('a b/cli.cjs', 'program');
  expect(command(script, nodeFolder)).toBe(`node '${script}'`);
  const other = dirname(put('bin/node', 'another node'));
  expect(command(script, `${other}:${nodeFolder}`)).toBe(`${process.execPath} '${script}'`);
});
