import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedNetwork } from '../apps/daemon/test/support/network-fixture.ts';
import {
  goModule,
  jsonIndex,
  mavenParent,
  phpPackage,
  pytestWheels,
  rubyGem,
} from '../apps/daemon/test/support/language-sites.ts';
import { files, packageSites, packPnpm } from '../apps/daemon/test/support/package-sites.ts';
import { services } from './service-table.ts';
import { describeWith } from './services.ts';

const registry = 'registry.npmjs.org';
const manifest = (dependencies: Record<string, string> = {}) =>
  JSON.stringify({
    name: 'app',
    version: '1.0.0',
    private: true,
    scripts: { build: 'said built > built.txt' },
    dependencies,
  });

/** What Node of this machine is built from lies beside it. */
const headersOf = dirname(dirname(process.execPath));

describeWith('bubblewrap', 'git')('npm in a command', () => {
  const world = sharedNetwork(packageSites);

  it('SU-05, SU-06 npx of a package, and what npm asks the registry, after one question each', async () => {
    const { run, root, questions } = world();
    files(root, { 'package.json': manifest() });
    expect((await run('npx --yes said hi', [registry])).stdout).toBe('said hi\n');
    expect((await run('npm install said --no-fund', [registry])).exitCode).toBe(0);
    const asked = await run('npm view said version && npm audit && npm outdated', [registry]);
    expect([asked.exitCode, asked.stdout]).toEqual([0, '1.0.0\nfound 0 vulnerabilities\n']);
    expect(questions.length).toBe(3);
  });

  it('SU-10 a build runs offline with what was installed', async () => {
    const { run, root, questions } = world();
    files(root, { 'package.json': manifest({ said: '1.0.0' }) });
    expect((await run('npm install --no-audit', [registry])).exitCode).toBe(0);
    const built = await run('npm run build --silent && cat built.txt');
    expect([built.stdout, questions.length]).toEqual(['said built\n', 1]);
  });
});

describeWith(
  'bubblewrap',
  'git',
  'compiler',
)('a module in C', () => {
  const world = sharedNetwork(packageSites);

  it('SU-04 npm ci builds it with the headers of this machine, after one question', async () => {
    const { run, root, questions } = world();
    files(root, { 'package.json': manifest({ native: '1.0.0' }) });
    expect((await run('npm install --ignore-scripts --no-audit', [registry])).exitCode).toBe(0);
    rmSync(join(root, 'node_modules'), { recursive: true });
    questions.length = 0;
    const built = await run(
      `npm_config_nodedir='${headersOf}' npm ci --no-audit && node -p 'require("native")'`,
      [registry],
    );
    expect([built.exitCode, questions.length]).toEqual([0, 1]);
    expect(built.stdout).toMatch(/^built$/m);
  });

  it('SU-60 make runs 300 short programs, four at once, under the limits', async () => {
    const { run, root, questions } = world();
    const names = Array.from({ length: 300 }, (_, at) => `t${at}`).join(' ');
    files(root, { Makefile: `all: ${names}\n${names}:\n\t@sh -c ': > $@'\n.PHONY: all\n` });
    const made = await run('make -s -j4 && ls t* | wc -l');
    expect([made.exitCode, made.stdout.trim(), made.notes, questions.length]).toEqual([
      0,
      '300',
      undefined,
      0,
    ]);
  });
});

describeWith(
  'bubblewrap',
  'venv',
  'pytest',
)('pip in a command', () => {
  const world = sharedNetwork(() => packageSites(pytestWheels()));

  it('SU-11, SU-14 pip installs into a virtual environment, and pytest runs there offline', async () => {
    const { run, root, questions } = world();
    const hosts = ['pypi.org', 'files.pythonhosted.org'];
    const installed = await run('python3 -m venv .venv && .venv/bin/pip install -q demo-pkg pytest', hosts);
    expect([installed.exitCode, questions.length]).toEqual([0, 1]);
    files(root, { 'test_a.py': 'import demo_pkg\ndef test_a():\n  assert demo_pkg.word == "demo"\n' });
    const tested = await run('.venv/bin/pytest -q');
    expect([tested.exitCode, tested.stdout]).toEqual([0, expect.stringContaining('1 passed')]);
  });
});

describeWith('bubblewrap', 'venv')('pip without network', () => {
  const world = sharedNetwork(packageSites);

  it('SU-12 requirements are installed offline from what pip has downloaded', async () => {
    const { run, root, questions } = world();
    files(root, { 'requirements.txt': 'demo-pkg==1.0\n' });
    const hosts = ['pypi.org', 'files.pythonhosted.org'];
    expect((await run('python3 -m pip download -q -d wheels -r requirements.txt', hosts)).exitCode).toBe(0);
    const offline = await run(
      'python3 -m pip install -q --no-index --find-links wheels --target lib -r requirements.txt; PYTHONPATH=lib python3 -c "import demo_pkg; print(demo_pkg.word)"',
    );
    expect([offline.stdout, questions.length]).toEqual(['demo\n', 1]);
    const fromCache = await run('python3 -m pip install -q --target other -r requirements.txt --retries 0');
    expect([fromCache.exitCode, fromCache.notes?.join()]).toEqual([
      1,
      expect.stringContaining('"pypi.org","files.pythonhosted.org"'),
    ]);
  });
});

describeWith('bubblewrap', 'pnpm')('pnpm in a command', () => {
  const world = sharedNetwork(packageSites);

  it('SU-07 installs from the registry after one question, and from its store offline', async () => {
    const { run, root, questions } = world();
    files(root, { 'package.json': manifest({ said: '1.0.0' }) });
    expect((await run('pnpm install --no-frozen-lockfile', [registry])).exitCode).toBe(0);
    rmSync(join(root, 'node_modules'), { recursive: true });
    const frozen = await run('pnpm install --frozen-lockfile', [registry]);
    expect([frozen.exitCode, questions.length]).toEqual([0, 2]);
    rmSync(join(root, 'node_modules'), { recursive: true });
    const offline = await run('pnpm install --frozen-lockfile --offline && pnpm run build && cat built.txt');
    expect([offline.exitCode, offline.stdout]).toEqual([0, expect.stringMatching(/said built\n$/)]);
  });
});

describeWith(
  'bubblewrap',
  'pnpm',
  'corepack',
)('a package manager by Corepack', () => {
  const { packageManager, answer } = packPnpm();
  const world = sharedNetwork(() => packageSites([answer]));

  it('SU-09 is downloaded, compared with its digest, and installs', async () => {
    const { run, root, questions } = world();
    files(root, {
      'package.json': JSON.stringify({ ...JSON.parse(manifest({ said: '1.0.0' })), packageManager }),
    });
    const ended = await run('corepack pnpm install --no-frozen-lockfile && corepack pnpm --version', [
      registry,
    ]);
    expect([ended.stderr, ended.exitCode, questions.length]).toEqual(['', 0, 1]);
  });
});

describeWith('bubblewrap', 'yarn')('Yarn in a command', () => {
  const world = sharedNetwork(packageSites);

  it('SU-08 installs from the registry after one question, and from its cache offline', async () => {
    const { run, root, questions } = world();
    files(root, { 'package.json': manifest({ said: '1.0.0' }) });
    const hosts = ['registry.yarnpkg.com', registry];
    expect([(await run('yarn install', hosts)).exitCode, questions.length]).toEqual([0, 1]);
    expect(readFileSync(join(root, 'yarn.lock'), 'utf8')).toContain('said@1.0.0');
    rmSync(join(root, 'node_modules'), { recursive: true });
    const offline = await run('yarn install --offline --frozen-lockfile && yarn -s build && cat built.txt');
    expect([offline.exitCode, offline.stdout]).toEqual([0, expect.stringMatching(/said built\n$/)]);
  });
});

describeWith('bubblewrap', 'cargo')('Cargo in a command', () => {
  const world = sharedNetwork(packageSites);

  it('SU-15, SU-16 adds a crate and runs with it after one question, and tests offline', async () => {
    const { run, root, questions } = world();
    files(root, {
      'Cargo.toml': '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n',
      'src/main.rs':
        'fn main() { println!("{}", demo::word()); }\n#[test]\nfn one() { assert_eq!(demo::word(), "demo"); }\n',
    });
    const hosts = ['index.crates.io', 'static.crates.io'];
    const ran = await run('cargo add -q demo && cargo run -q', hosts);
    expect([ran.stdout, ran.exitCode, questions.length]).toEqual(['demo\n', 0, 1]);
    rmSync(join(root, 'target'), { recursive: true });
    expect((await run('cargo test -q')).exitCode).toBe(0);
  });
});

describeWith('bubblewrap', 'go')('Go in a command', () => {
  const world = sharedNetwork(() => packageSites(goModule()));

  it('SU-17 downloads a module and builds in a folder without a repository, after one question, and offline', async () => {
    const { run, root, questions } = world();
    files(root, {
      'go.mod': 'module app\n\ngo 1.19\n\nrequire go.test/demo v1.0.0\n',
      'main.go':
        'package main\n\nimport (\n\t"fmt"\n\t"go.test/demo"\n)\n\nfunc main() { fmt.Println(demo.Word()) }\n',
    });
    const built = await run('export GONOSUMDB=go.test; go mod tidy && go mod download && go build && ./app', [
      'proxy.golang.org',
    ]);
    expect([built.stdout, built.exitCode, questions.length]).toEqual(['demo\n', 0, 1]);
    expect((await run('go build -o other && ./other')).stdout).toBe('demo\n');
  });
});

describeWith('bubblewrap', 'bundler')('Bundler in a command', () => {
  const world = sharedNetwork(() => packageSites(rubyGem()));

  it('SU-18 installs a gem into the folder after one question', async () => {
    const { run, root, questions } = world();
    files(root, { Gemfile: 'source "https://rubygems.org"\ngem "demo"\n' });
    const installed = await run(
      'export BUNDLE_PATH=vendor; bundle install --quiet && bundle exec ruby -e "require %q(demo); puts WORD"',
      ['rubygems.org', 'index.rubygems.org'],
    );
    expect([installed.stdout, questions.length]).toEqual(['demo\n', 1]);
  });
});

describeWith('bubblewrap', 'composer')('Composer in a command', () => {
  const world = sharedNetwork(() => packageSites(phpPackage()));

  it('SU-18 installs a package with the extensions that PHP has outside, after one question', async () => {
    const { run, root, questions } = world();
    files(root, {
      'composer.json': '{"require":{"ada/demo":"1.0.0"}}',
      'a.php': '<?php require "vendor/autoload.php"; echo WORD;',
    });
    const hosts = ['repo.packagist.org', 'codeload.github.com'];
    const installed = await run('composer install --no-interaction && php a.php', hosts);
    expect([installed.stdout, questions.length]).toEqual(['demo', 1]);
    const settings = await run(
      'cat /etc/php*/*/cli/conf.d/*.ini /etc/php.d/*.ini 2>/dev/null | grep -v extension=',
    );
    expect(settings.stdout).toBe('');
  });
});

describeWith('bubblewrap', 'poetry')('Poetry in a command', () => {
  const world = sharedNetwork(() => packageSites(jsonIndex()));

  it('SU-13 installs a wheel into a virtual environment of the folder after one question', async () => {
    const { run, root, questions } = world();
    files(root, {
      'pyproject.toml':
        '[tool.poetry]\nname = "app"\nversion = "1.0.0"\ndescription = ""\nauthors = []\n[tool.poetry.dependencies]\npython = "^3.9"\npoem-pkg = "1.0"\n',
      'poetry.toml': '[virtualenvs]\nin-project = true\n',
    });
    const show = 'poetry run python -c "import poem_pkg; print(poem_pkg.word)"';
    const installed = await run(`poetry install --no-root -n -q && ${show}`, [
      'pypi.org',
      'files.pythonhosted.org',
    ]);
    expect([installed.stdout, questions.length]).toEqual(['poem\n', 1]);
  });
});

describeWith('bubblewrap', 'java')('Java in a command', () => {
  const world = sharedNetwork(() => packageSites(mavenParent()));
  const hosts = ['repo.maven.apache.org', 'repo1.maven.org'];
  const trust =
    'keytool -importcert -noprompt -storepass changeit -keystore trust -file .ca.pem 2> /dev/null; export JAVA_TOOL_OPTIONS="$JAVA_TOOL_OPTIONS -Djavax.net.ssl.trustStore=$PWD/trust -Djavax.net.ssl.trustStorePassword=changeit -Djava.io.tmpdir=$TMPDIR"';

  it('SU-40 a program of one file reaches a host after one question', async () => {
    const { run, root, questions } = world();
    const read =
      'new String(new java.net.URL("http://registry.npmjs.org/config.json").openStream().readAllBytes())';
    files(root, {
      'J.java': `class J { public static void main(String[] a) throws Exception { System.out.print(${read}); } }`,
    });
    const ran = await run('java J.java', [registry]);
    expect([ran.stdout, questions.length]).toEqual(['{"dl":"https://static.crates.io/crates"}', 1]);
    expect(existsSync(join(root, 'J.class'))).toBe(false);
  });

  it('SU-40 Maven reads a parent of the central repository after one question, and again offline', async ({
    skip,
  }) => {
    skip(!services.maven.isThere(), 'no maven');
    const { run, root, questions } = world();
    files(root, {
      'pom.xml':
        '<project><modelVersion>4.0.0</modelVersion><parent><groupId>demo</groupId><artifactId>parent</artifactId><version>1</version></parent><artifactId>app</artifactId><packaging>pom</packaging></project>',
    });
    expect((await run(`${trust}; mvn -B -q validate`, hosts)).exitCode).toBe(0);
    expect([(await run('mvn -B -q -o validate')).exitCode, questions.length]).toEqual([0, 1]);
  });

  it('SU-40 Gradle downloads a file of the central repository after one question', async ({ skip }) => {
    skip(!services.gradle.isThere(), 'no gradle');
    const { run, root, questions } = world();
    files(root, {
      'settings.gradle': '',
      'build.gradle':
        "repositories { mavenCentral() }\nconfigurations { got }\ndependencies { got 'demo:parent:1@pom' }\ntask show { doLast { println configurations.got.singleFile.name } }\n",
    });
    const built = await run(`${trust}; gradle -q --no-daemon show`, hosts);
    expect([built.stdout, questions.length]).toEqual(['parent-1.pom\n', 1]);
  });
});
