import { normalizeName } from '../text/normalize.ts';
import { words } from '../text/words.ts';

/**
 * A name that other programs run or obey. `closed`: no tool touches it. `kept`: file tools ask, commands
 * cannot change it. `shown`: file tools ask, and the result of a command that changed it lists it.
 */
export type RunClass = 'closed' | 'kept' | 'shown';

/** Read by shells, editors and agents at once. Each begins with a dot: `isProtected` relies on it. */
const closed = words(`
  .gitmodules .mcp.json .vscode .idea .claude .cursor .ssh .envrc
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc
`);
const closedEnds = words(`
  .drawbridge/versions .local/bin/drawbridge .config/fish .config/powershell .config/autostart .config/systemd
`);

/** Hooks, start-up files and settings of agents: an honest command has no reason to change them. */
const kept = words(`
  .gitconfig .husky .githooks .huskyrc .huskyrc.json .huskyrc.js .huskyrc.cjs
  .lefthook .lefthook-local lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml
  .lefthook.toml .lefthook.json lefthook-local.yml lefthook-local.yaml lefthook-local.toml lefthook-local.json
  .lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml .lefthook-local.json
  .pre-commit-config.yaml .pre-commit-config.yml prek.toml .overcommit.yml .overcommit captainhook.json grumphp.yml
  .simple-git-hooks.json .simple-git-hooks.js .simple-git-hooks.cjs .simple-git-hooks.mjs
  simple-git-hooks.json simple-git-hooks.js simple-git-hooks.cjs simple-git-hooks.mjs
  mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .rtx.toml .direnvrc .autoenv .autoenv.zsh
  .vimrc _vimrc .exrc .nvimrc .gvimrc .lvimrc .local.vimrc .nvim.lua .nvim .vim .emacs .emacs.d
  .dir-locals.el .dir-locals-2.el .zed .helix .kakrc .fleet .vs .nova .theia .ycm_extra_conf.py .luarc.json
  .neoconf.json .nlsp.json .externaltoolbuilders .devcontainer .devcontainer.json
  .gdbinit .lldbinit .pdbrc .irbrc .pryrc .rprofile .ghci .ocamlinit .iex.exs .erlang .octaverc .gnuplot
  .codex .gemini .kiro .windsurf .clinerules .qwen .continue .roo .kilocode .opencode .pi opencode.json opencode.jsonc
  .trae .amazonq .augment .junie .goose .factory .agents .agent .openhands .crush .crush.json crush.json .qodo
  .rovodev .tabnine .aider.conf.yml .aider.model.settings.yml .claude-plugin .sourcery.yaml
  launchagents launchdaemons authorized_keys
`);
const keptEnds = words(`
  .config/mise .config/mise.toml .config/nvim .config/git .config/helix .config/zed mise/config.toml
  .hg/hgrc .hg/hgrc-not-shared .sl/config .sl/hgrc .hg/hooks .jj/repo/config.toml .jj/config.toml _darcs/prefs/defaults
  .local/bin .github/hooks .github/agents
`);
const keptShapes = /\.(code-workspace|sublime-(project|workspace|settings|build))$/;

/** A command may have to change them; build tools, package managers, CI and agents run or obey them. */
const shown = words(`
  package.json pnpm-workspace.yaml .npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs bunfig.toml
  deno.json deno.jsonc composer.json gemfile rakefile .rspec .bundle podfile fastfile dangerfile guardfile
  setup.py setup.cfg pyproject.toml tox.ini noxfile.py fabfile.py conftest.py pytest.ini .pytest.ini
  sitecustomize.py usercustomize.py pip.conf dodo.py .pylintrc pylintrc mypy.ini .mypy.ini .flake8 ansible.cfg
  .rubocop.yml .solargraph.yml .standard.yml .php-cs-fixer.php rector.php phpstan.neon .luacheckrc .formatter.exs .credo.exs
  .eslintrc .eslintrc.json .eslintrc.yml .eslintrc.yaml .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.toml
  .stylelintrc .stylelintrc.json .babelrc .babelrc.json .lintstagedrc .lintstagedrc.json .commitlintrc .commitlintrc.json
  project.pbxproj package.swift tiltfile brewfile
  build.rs cargo.toml rust-toolchain.toml rust-toolchain build.zig mix.exs rebar.config magefile.go
  build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle gradle.properties gradlew
  gradle-wrapper.properties pom.xml mvnw .mvn build.sbt .sbtopts .jvmopts build.xml
  makefile gnumakefile bsdmakefile cmakelists.txt cmakepresets.json cmakeuserpresets.json meson.build sconstruct
  sconscript wscript configure .bazelrc build.bazel workspace.bazel module.bazel
  justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml earthfile vagrantfile procfile
  turbo.json nx.json lerna.json compose.yaml compose.yml docker-compose.yaml docker-compose.yml
  .tool-versions devbox.json flake.nix shell.nix default.nix devenv.nix .clangd .gitattributes
  agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md crush.md warp.md skill.md
  .cursorrules .windsurfrules .roorules .goosehints .rules mcp.json
  .gitlab-ci.yml .gitlab .circleci .travis.yml jenkinsfile azure-pipelines.yml .azure-pipelines .drone.yml
  .woodpecker.yml .woodpecker bitbucket-pipelines.yml .buildkite appveyor.yml .appveyor.yml cloudbuild.yaml
  buildspec.yml .cirrus.yml .semaphore .teamcity codemagic.yaml .gitpod.yml .replit netlify.toml vercel.json
`);
const shownEnds = words(`
  .github/workflows .github/actions .github/copilot-instructions.md .github/instructions .github/prompts
  .github/chatmodes .gitea/workflows .forgejo/workflows .cargo/config.toml .cargo/config .config/nextest.toml
`);
const shownShapes = [
  /\.(desktop|command|exe|bat|cmd|ps1|vbs|jse|wsf|hta|msi|scr|lnk|url|scf|reg|pif|service|timer|socket|pth)$/,
  /\.(mk|gemspec|csproj|vcxproj|fsproj|vbproj)$|^directory\.build\.(props|targets)$/,
  /^(gulpfile|gruntfile)\.[cm]?[jt]s$/,
  // Loaded when a test tool or an editor starts.
  /\.config\.[cm]?[jt]s$|^\.(eslint|prettier|stylelint|babel|lintstaged|commitlint)rc\.[cm]?[jt]s$|\.xcscheme$/,
];

const classes = new Map<string, RunClass>();
const ends: [string[], RunClass][] = [];
for (const [runClass, names, paths] of [
  ['shown', shown, shownEnds],
  ['kept', kept, keptEnds],
  ['closed', closed, closedEnds],
] as const) {
  for (const name of names) classes.set(name, runClass);
  ends.push(...paths.map((path): [string[], RunClass] => [path.split('/'), runClass]));
}
const endsByLast = new Map<string, typeof ends>();
for (const one of ends)
  endsByLast.set(one[0].at(-1) ?? '', [...(endsByLast.get(one[0].at(-1) ?? '') ?? []), one]);

/** Names and ends of paths of a class; an end has a `/`. */
export const closedNames: readonly string[] = [...closed, ...closedEnds];
export const keptNames: readonly string[] = [...kept, ...keptEnds];

const strictest: readonly RunClass[] = ['closed', 'kept', 'shown'];
const stricter = (one: RunClass | undefined, other: RunClass | undefined): RunClass | undefined =>
  strictest.find((runClass) => runClass === one || runClass === other);

const endClassAt = (names: readonly string[], at: number): RunClass | undefined =>
  endsByLast
    .get(names[at] ?? '')
    ?.filter(([end]) => end.every((name, index) => names[at - end.length + 1 + index] === name))
    .map(([, runClass]) => runClass)
    .reduce<RunClass | undefined>(stricter, undefined);

const shapeClass = (name: string): RunClass | undefined => {
  if (!name.includes('.')) return undefined;
  if (keptShapes.test(name)) return 'kept';
  return shownShapes.some((shape) => shape.test(name)) ? 'shown' : undefined;
};

/** The strictest class of the folders of a path, by their folded names, with the last one's own. */
const classOfNames = (names: readonly string[]): RunClass | undefined =>
  names.reduce<RunClass | undefined>(
    (found, name, at) => stricter(found, stricter(classes.get(name), endClassAt(names, at))),
    undefined,
  );

/** The class of a path below the root, given as its folded names; undefined where no program runs it. */
export const runClassOf = (names: readonly string[]): RunClass | undefined =>
  stricter(classOfNames(names), shapeClass(names.at(-1) ?? ''));

/** `runClassOf` for the entries of one folder below the root, given as its path from there. */
export const runClassIn = (folder: string): ((name: string) => RunClass | undefined) => {
  const above = folder.split('/').filter(Boolean).map(normalizeName);
  const inherited = classOfNames(above);
  return (entry) => {
    const name = normalizeName(entry);
    const own = stricter(classes.get(name), endClassAt([...above, name], above.length));
    return stricter(stricter(inherited, own), shapeClass(name));
  };
};
