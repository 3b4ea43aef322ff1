import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { files, type Answer } from './package-sites.ts';

const digest = (kind: 'md5' | 'sha1' | 'sha256', data: string | Buffer) =>
  createHash(kind).update(data).digest('hex');

const withFiles = <T>(texts: Record<string, string>, use: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  files(folder, texts);
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A zip of what is in the folder, without an entry for the folder itself. */
const zip = (folder: string): Buffer => {
  const script =
    'import sys, zipfile, pathlib\nwith zipfile.ZipFile("packed.zip", "w") as z:\n  [z.write(p) for p in sorted(pathlib.Path(".").rglob("*")) if p.is_file() and p.name != "packed.zip"]';
  execFileSync('python3', ['-c', script], { cwd: folder });
  return readFileSync(join(folder, 'packed.zip'));
};

/** pytest and all that it needs. */
const pytestNames = ['pytest', 'pluggy', 'iniconfig', 'packaging', 'pygments'];

const packInstalled = `
import importlib.metadata, sys, zipfile
for name in sys.argv[1:]:
  found = importlib.metadata.distribution(name)
  with zipfile.ZipFile(f"{name}-{found.version}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
    for one in found.files:
      if not {"..", "__pycache__"} & set(one.parts): wheel.write(found.locate_file(one), str(one))
`;

/** The pytest of this machine as pypi.org has it. */
export const pytestWheels = (): Answer[] =>
  withFiles({ 'pack.py': packInstalled }, (folder) => {
    execFileSync('python3', ['pack.py', ...pytestNames], { cwd: folder });
    return readdirSync(folder)
      .filter((name) => name.endsWith('.whl'))
      .flatMap((name): Answer[] => [
        [
          `/simple/${name.split('-')[0]}/`,
          ['text/html', `<a href="https://files.pythonhosted.org/${name}">${name}</a>`],
        ],
        [`/${name}`, ['application/zip', readFileSync(join(folder, name))]],
      ]);
  });

/** `go.test/demo` as a proxy of Go modules has it. */
export const goModule = (): Answer[] => {
  const at = 'go.test/demo@v1.0.0';
  const mod = 'module go.test/demo\n\ngo 1.19\n';
  const packed = withFiles(
    {
      [`${at}/go.mod`]: mod,
      [`${at}/demo.go`]: 'package demo\n\nfunc Word() string { return "demo" }\n',
    },
    zip,
  );
  const path = '/go.test/demo/@v';
  return [
    [`${path}/list`, ['text/plain', 'v1.0.0\n']],
    [`${path}/v1.0.0.info`, ['application/json', '{"Version":"v1.0.0","Time":"2024-01-01T00:00:00Z"}']],
    [`${path}/v1.0.0.mod`, ['text/plain', mod]],
    [`${path}/v1.0.0.zip`, ['application/zip', packed]],
  ];
};

/** The gem `demo` of rubygems.org. */
export const rubyGem = (): Answer[] => {
  const spec =
    'Gem::Specification.new { |s| s.name = "demo"; s.version = "1.0.0"; s.summary = "d"; s.authors = ["a"]; s.files = ["lib/demo.rb"] }';
  const gem = withFiles({ 'demo.gemspec': spec, 'lib/demo.rb': 'WORD = "demo"\n' }, (folder) => {
    execFileSync('gem', ['build', '--quiet', 'demo.gemspec'], { cwd: folder, stdio: 'ignore' });
    return readFileSync(join(folder, 'demo-1.0.0.gem'));
  });
  const info = `---\n1.0.0 |checksum:${digest('sha256', gem)}\n`;
  return [
    [
      '/versions',
      ['text/plain', `created_at: 2024-01-01T00:00:00Z\n---\ndemo 1.0.0 ${digest('md5', info)}\n`],
    ],
    ['/info/demo', ['text/plain', info]],
    ['/gems/demo-1.0.0.gem', ['application/octet-stream', gem]],
  ];
};

/** `ada/demo` of Packagist, whose archive is at another host. */
export const phpPackage = (): Answer[] => {
  const packed = withFiles(
    {
      'composer.json': '{"name":"ada/demo","autoload":{"files":["demo.php"]}}',
      'demo.php': '<?php const WORD = "demo";\n',
    },
    zip,
  );
  const version = {
    name: 'ada/demo',
    version: '1.0.0',
    autoload: { files: ['demo.php'] },
    dist: {
      type: 'zip',
      url: 'https://codeload.github.com/ada/demo/zip/1',
      shasum: digest('sha1', packed),
    },
  };
  return [
    ['/packages.json', ['application/json', '{"metadata-url":"/p2/%package%.json"}']],
    ['/p2/ada/demo.json', ['application/json', JSON.stringify({ packages: { 'ada/demo': [version] } })]],
    ['/ada/demo/zip/1', ['application/zip', packed]],
  ];
};

/** The wheel `poem-pkg` of PyPI, whose index is in JSON as newer tools ask for it. */
export const jsonIndex = (): Answer[] => {
  const name = 'poem_pkg-1.0-py3-none-any.whl';
  const info = 'poem_pkg-1.0.dist-info';
  const metadata = 'Metadata-Version: 2.1\nName: poem-pkg\nVersion: 1.0\n';
  const packed = withFiles(
    {
      'poem_pkg/__init__.py': 'word = "poem"\n',
      [`${info}/METADATA`]: metadata,
      [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${info}/RECORD`]: '',
    },
    zip,
  );
  const sha256 = digest('sha256', packed);
  const url = `https://files.pythonhosted.org/${name}`;
  const file = { filename: name, url, hashes: { sha256 }, yanked: false };
  const page = { meta: { 'api-version': '1.0' }, name: 'poem-pkg', files: [file] };
  const release = {
    info: {
      name: 'poem-pkg',
      version: '1.0',
      summary: '',
      platform: '',
      requires_dist: null,
      requires_python: null,
      yanked: false,
    },
    urls: [{ ...file, packagetype: 'bdist_wheel', digests: { sha256 } }],
  };
  return [
    ['/simple/poem-pkg/', ['application/vnd.pypi.simple.v1+json', JSON.stringify(page)]],
    ['/pypi/poem-pkg/1.0/json', ['application/json', JSON.stringify(release)]],
    [`/${name}`, ['application/zip', packed]],
  ];
};

/** A parent and a list of versions in the central repository of Maven. */
export const mavenParent = (): Answer[] => {
  const pom =
    '<project><modelVersion>4.0.0</modelVersion><groupId>demo</groupId><artifactId>parent</artifactId><version>1</version><packaging>pom</packaging><properties><word>demo</word></properties></project>';
  const path = '/maven2/demo/parent/1/parent-1.pom';
  return [
    [path, ['text/xml', pom]],
    [`${path}.sha1`, ['text/plain', digest('sha1', pom)]],
  ];
};
