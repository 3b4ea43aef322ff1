import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '../../../src/program/own-command.ts';

/** Writes an executable script, and the folders above it. */
export const program = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
};

export const file = (path: string, text = ''): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

export const link = (path: string, target: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
};

/**
 * Fills a home folder as version managers do: shims and links, programs with libraries, credentials beside.
 * Gives PATH's folders, the programs with what each prints, and the credentials.
 */
export const fillHome = (home: string) => {
  const at = (path: string) => join(home, path);
  const word = (path: string) => shellWord(at(path));
  const say = (library: string) => `cat ${word(library)}`;
  const made: [name: string, says: string][] = [];
  const add = (name: string, library: string, place: string) => {
    file(at(library), name);
    made.push([name, name]);
    return program(at(place), say(library));
  };
  // nvm: a version with its packages. cargo and rustup: a link to one program for all. pyenv: a shim.
  add(
    'standin-node',
    '.nvm/versions/node/v22.0.0/lib/node_modules/a/index.js',
    '.nvm/versions/node/v22.0.0/bin/standin-node',
  );
  add(
    'standin-rustc',
    '.rustup/toolchains/stable/lib/std.rlib',
    '.rustup/toolchains/stable/bin/standin-rustc',
  );
  program(at('.cargo/bin/rustup'), `exec ${word('.rustup/toolchains/stable/bin/standin-rustc')}`);
  link(at('.cargo/bin/standin-cargo'), 'rustup');
  made.push(['standin-cargo', 'standin-rustc']);
  add(
    'standin-python',
    '.pyenv/versions/3.12.1/lib/python3.12/os.py',
    '.pyenv/versions/3.12.1/bin/standin-python',
  );
  file(at('.pyenv/version'), '3.12.1');
  program(
    at('.pyenv/libexec/pyenv'),
    `exec ${word('.pyenv/versions')}/"$(cat ${word('.pyenv/version')})/bin/standin-python"`,
  );
  link(at('.pyenv/bin/pyenv'), '../libexec/pyenv');
  program(at('.pyenv/shims/standin-py'), `exec ${word('.pyenv/bin/pyenv')} exec`);
  made.push(['standin-py', 'standin-python']);
  // pipx: a link in ~/.local/bin to a program whose interpreter is a link to uv's.
  add(
    'standin-uvpython',
    '.local/share/uv/python/cpython-3.12/lib/os.py',
    '.local/share/uv/python/cpython-3.12/bin/python3.12',
  );
  link(
    at('.local/share/pipx/venvs/tool/bin/python'),
    at('.local/share/uv/python/cpython-3.12/bin/python3.12'),
  );
  file(at('.local/share/pipx/venvs/tool/pyvenv.cfg'));
  program(
    at('.local/share/pipx/venvs/tool/bin/standin-tool'),
    `exec ${word('.local/share/pipx/venvs/tool/bin/python')}`,
  );
  link(at('.local/bin/standin-tool'), at('.local/share/pipx/venvs/tool/bin/standin-tool'));
  made.pop();
  made.push(['standin-tool', 'standin-uvpython']);
  // A program of a version in a folder of its own; a script of the person; an installation that is unknown.
  link(at('.local/bin/standin-claude'), at('.local/share/claude/versions/1.0.0'));
  program(at('.local/share/claude/versions/1.0.0'), 'echo standin-claude');
  made.push(['standin-claude', 'standin-claude\n']);
  program(at('bin/standin-script'), 'echo standin-script');
  made.push(['standin-script', 'standin-script\n']);
  add('standin-unknown', 'apps/unknown/lib/data', 'apps/unknown/bin/standin-unknown');
  // An npm prefix whose programs are links into packages; a folder of packages beside them.
  file(at('.npm-global/lib/node_modules/dep/data'), 'standin-npm');
  program(at('.npm-global/lib/node_modules/tool/cli.js'), say('.npm-global/lib/node_modules/dep/data'));
  link(at('.npm-global/bin/standin-npm'), '../lib/node_modules/tool/cli.js');
  made.push(['standin-npm', 'standin-npm']);
  // sdkman: `current` is a link.
  add(
    'standin-java',
    '.sdkman/candidates/java/21/lib/modules',
    '.sdkman/candidates/java/21/bin/standin-java',
  );
  link(at('.sdkman/candidates/java/current'), '21');
  // GOPATH, with sources of the person beside.
  add('standin-go', 'go/pkg/mod/a', 'go/bin/standin-go');
  const path = [
    '.nvm/versions/node/v22.0.0/bin .cargo/bin .rustup/toolchains/stable/bin .pyenv/shims .pyenv/bin .pyenv/versions/3.12.1/bin',
    '.local/bin bin apps/unknown/bin .npm-global/bin .sdkman/candidates/java/current/bin go/bin',
  ]
    .flatMap((line) => line.split(' '))
    .map(at);
  const credentials = [
    '.cargo/credentials.toml',
    '.cargo/credentials',
    '.npmrc',
    '.m2/settings.xml',
    '.nvm/versions/node/v22.0.0/etc/npmrc',
    '.pyenv/versions/3.12.1/pip.conf',
    '.config/pip/pip.conf',
    '.gem/credentials',
    '.local/share/uv/credentials/a',
    '.config/uv/credentials.toml',
    'go/src/private/main.go',
    '.sdkman/etc/config',
    '.local/share/keyrings/login',
    '.local/share/claude/secret',
    'apps/unknown/.env',
    'apps/unknown/notes.txt',
    'apps/other/.env',
    'bin/.env',
    '.dotnet/corefx/cryptography/key',
    '.hex/hex.config',
    '.gradle/gradle.properties',
    '.conda/tokens/a',
    '.config/composer/auth.json',
    '.npm-global/etc/npmrc',
    '.ssh/id_ed25519',
    'notes.txt',
    'projects/a/.env',
  ].map((one) => file(at(one), 'sesame'));
  return { path, made, credentials };
};
