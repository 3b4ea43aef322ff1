import { existsSync, readdirSync } from 'node:fs';
import { join, isAbsolute } from 'node:path';
import { words } from '../../../../text/words.ts';

interface Toolchain {
  /** Variables that name its folder; each of them counts beside the usual places. */
  variables: string[];
  /** Below the home folder. */
  usual: string[];
  /** What is read of it; `.` is all. A `*` stands for one name. */
  opens: string[];
  /** What all has of keys and tokens. */
  without: string[];
}

const namesIn = (text: string): string[] => words(text).filter((name) => name !== '');

/** `opens`: what is read, and after a `!` what is closed in it. */
const row = (variables: string, usual: string, opens: string): Toolchain => ({
  variables: namesIn(variables),
  usual: namesIn(usual),
  opens: namesIn(opens).filter((name) => !name.startsWith('!')),
  without: namesIn(opens).flatMap((name) => (name.startsWith('!') ? [name.slice(1)] : [])),
});

/** Toolchains of a home folder: their programs and packages, without their credentials. */
const toolchains: Toolchain[] = [
  // Node, Deno, Bun
  row('NVM_DIR', '.nvm .config/nvm', 'nvm.sh nvm-exec alias versions !versions/node/*/etc'),
  row('FNM_DIR', '.fnm .local/share/fnm', 'node-versions aliases fnm !node-versions/*/installation/etc'),
  row('VOLTA_HOME', '.volta', 'bin tools'),
  row('NODENV_ROOT', '.nodenv', '. !versions/*/etc'),
  row('PNPM_HOME', '.local/share/pnpm', '. !rc !auth.ini'),
  row('COREPACK_HOME', '.cache/node/corepack', '.'),
  row('', '.yarn', 'bin berry/cache releases'),
  row('', '.config/yarn/global', 'node_modules'),
  row('DENO_INSTALL', '.deno', 'bin'),
  row('DENO_DIR', '.cache/deno', '.'),
  row('BUN_INSTALL', '.bun', 'bin install/global/node_modules install/cache'),
  // Python
  row('PYENV_ROOT', '.pyenv', '. !versions/*/pip.conf !versions/*/.condarc !.git'),
  row('PIPX_HOME', '.local/share/pipx .local/pipx', 'venvs shared py'),
  row('UV_PYTHON_INSTALL_DIR', '.local/share/uv/python', '.'),
  row('UV_TOOL_DIR', '.local/share/uv/tools', '.'),
  row(
    'CONDA_PREFIX',
    'miniconda3 miniconda anaconda3 miniforge3 mambaforge',
    '. !.condarc !pip.conf !envs/*/pip.conf',
  ),
  row('MAMBA_ROOT_PREFIX', 'micromamba', '. !.condarc !pip.conf !envs/*/pip.conf'),
  row('', '.conda', 'envs'),
  row('', '.local/lib', 'python* node_modules'),
  row('', '.local/share/pypoetry', 'venv python'),
  row('', '.local/share/hatch', 'env pythons'),
  // Rust, Go, C
  row('RUSTUP_HOME', '.rustup', '.'),
  row('CARGO_HOME', '.cargo', 'bin env registry git/checkouts git/db'),
  row('GOROOT', '.local/go', 'bin lib pkg src api misc VERSION go.env'),
  row('GOPATH', 'go', 'bin pkg'),
  row('', 'sdk', 'go*'),
  row('GOMODCACHE', '', '.'),
  row('', '.zvm .zig', '.'),
  // Java and its relatives
  row('JAVA_HOME', '', 'bin lib jre include conf jmods legal release'),
  row('SDKMAN_DIR', '.sdkman', 'bin candidates src libexec'),
  row('', '.jdks .jenv', '.'),
  row('', '.m2', 'repository wrapper'),
  row('GRADLE_USER_HOME', '.gradle', 'wrapper jdks caches/modules-2'),
  row('', '.cache/coursier', '.'),
  row('', '.local/share/coursier', 'bin'),
  // .NET, Ruby, PHP, Perl, Lua
  row('DOTNET_ROOT', '.dotnet', 'dotnet host sdk shared packs templates sdk-manifests tools library-packs'),
  row('NUGET_PACKAGES', '.nuget/packages', '.'),
  row('RBENV_ROOT', '.rbenv', '. !.git'),
  row('', '.rvm', 'bin rubies gems scripts wrappers environments lib'),
  row('', '.rubies .local/share/gem/ruby .gem/ruby .luarocks perl5', '.'),
  row('', '.config/composer .composer', 'vendor'),
  // Haskell, OCaml, Lean, Julia, Erlang, Dart, R, Swift
  row('', '.ghcup', 'bin ghc hls env'),
  row('', '.cabal', 'bin packages store lib share'),
  row('', '.local/state/cabal .opam .elan .juliaup .swiftly .local/share/swiftly', '.'),
  row('STACK_ROOT', '.stack', 'programs snapshots pantry'),
  row('JULIA_DEPOT_PATH', '.julia', 'packages artifacts compiled registries juliaup'),
  row('MIX_HOME', '.mix', 'archives elixir escripts'),
  row('HEX_HOME', '.hex', 'packages'),
  row('PUB_CACHE', '.pub-cache', 'bin hosted git global_packages'),
  row('FLUTTER_ROOT', 'flutter .local/share/flutter', '. !.git'),
  row('ANDROID_HOME', 'Android/Sdk', 'build-tools cmdline-tools platform-tools platforms ndk licenses'),
  // Managers of many, and browsers for tests
  row('ASDF_DATA_DIR', '.asdf', 'bin lib libexec asdf.sh shims plugins installs'),
  row('MISE_DATA_DIR', '.local/share/mise', 'bin shims installs plugins'),
  row('HOMEBREW_PREFIX', '', 'bin sbin lib libexec include share opt Cellar Homebrew/Library'),
  row('PLAYWRIGHT_BROWSERS_PATH', '.cache/ms-playwright', '.'),
  row('PUPPETEER_CACHE_DIR', '.cache/puppeteer', '.'),
  row('', '.cache/Cypress', '.'),
  // What git ignores everywhere
  row('', '.config/git', 'ignore attributes'),
];

const entriesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Paths of a pattern in a folder; those of a `*` are there. */
const matching = (folder: string, pattern: string): string[] => {
  let paths = [folder];
  for (const name of pattern.split('/')) {
    if (!name.includes('*')) paths = paths.map((path) => join(path, name));
    else {
      const shape = new RegExp(`^${name.replaceAll('.', String.raw`\.`).replace('*', '.+')}$`);
      paths = paths.flatMap((path) =>
        entriesOf(path)
          .filter((one) => shape.test(one))
          .map((one) => join(path, one)),
      );
    }
  }
  return paths;
};

export interface Toolchains {
  opened: string[];
  /** Inside of these, and not to be read. */
  closed: string[];
}

/** Toolchains of this account, by its variables and in its home: absolute paths, there or not. */
export const findToolchains = (home: string, environment: NodeJS.ProcessEnv): Toolchains => {
  const opened: string[] = [];
  const closed: string[] = [];
  for (const { variables, usual, opens, without } of toolchains) {
    const named = variables
      .flatMap((name) => environment[name]?.split(':') ?? [])
      .filter((one) => isAbsolute(one));
    for (const folder of [...named, ...usual.map((path) => join(home, path))]) {
      if (!existsSync(folder)) continue;
      opened.push(...opens.flatMap((pattern) => matching(folder, pattern)));
      closed.push(...without.flatMap((pattern) => matching(folder, pattern)));
    }
  }
  return { opened, closed };
};
