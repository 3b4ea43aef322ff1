import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeHome } from '../../../../test/support/git-host-fixture.ts';
import { sharedNetwork } from '../../../../test/support/network-fixture.ts';
import { files, git, packageSites } from '../../../../test/support/package-sites.ts';

const evilAddress = '93.184.216.35';

describeWith(
  'bubblewrap',
  'git',
  'python3',
)('installations', () => {
  let home = '';
  const world = sharedNetwork(() => {
    home = makeHome('');
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh/id_ed25519'), 'key');
    const sites = packageSites();
    return { ...sites, names: { ...sites.names, 'evil.test': [evilAddress] } };
  });

  it('SU-01, SU-02, SH-69 npm installs after one question, and again offline; its script does not leave the sandbox', async () => {
    const { run, root, questions, dialled } = world();
    files(root, { 'package.json': '{ "dependencies": {} }' });
    git(root, 'init', '-q');
    const installed = await run('npm install left --no-audit --no-fund', ['registry.npmjs.org']);
    expect([installed.exitCode, questions.length]).toEqual([0, 1]);
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain('"left"');
    expect(readFileSync(join(root, 'node_modules/left/said'), 'utf8')).toBe(
      'failed failed failed failed failed failed',
    );
    expect([existsSync(join(home, '.bashrc')), existsSync(join(root, '.vscode'))]).toEqual([false, false]);
    expect(dialled.filter((one) => one.startsWith(evilAddress))).toEqual([]);
    expect(installed.notes?.join()).toContain('evil.test:443 was not asked for');
    const again = await run('npm ci --no-audit --no-fund --ignore-scripts', ['registry.npmjs.org']);
    expect(again.exitCode).toBe(0);
    expect((await run('rm -r node_modules; npm ci --ignore-scripts --no-audit')).exitCode).toBe(0);
  });

  it('SU-11 pip installs a wheel from two hosts after one question', async () => {
    const { run, questions } = world();
    const ended = await run(
      'python3 -m pip install -q --target lib demo-pkg; PYTHONPATH=lib python3 -c "import demo_pkg; print(demo_pkg.word)"',
      ['pypi.org', 'files.pythonhosted.org'],
    );
    expect([ended.stdout, questions.length]).toEqual(['demo\n', 1]);
  });

  it('SU-19 git clones a public repository after one question', async () => {
    const { run, questions } = world();
    const ended = await run('git clone -q https://github.com/ada/demo cloned && cat cloned/file', [
      'github.com',
    ]);
    expect([ended.stdout, questions.length]).toEqual(['hello', 1]);
  });
});
