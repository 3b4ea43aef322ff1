import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createProgram as createCli } from '../apps/daemon/src/commands/program.ts';
import { createProgram as createServerProgram, type Actions } from '../apps/server/src/commands/program.ts';
import manifest from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (page: string) => readFileSync(root + page, 'utf8');
const pages = ['README.md', ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)].filter((page) =>
  page.endsWith('.md'),
);

/** Their blocks are run as they are, by e2e/docs-commands.test.ts. */
const runAsTheyAre = new Set(['docs/rest.md', 'docs/webhooks.md']);

/** What cannot be run or parsed here, and why. */
const elsewhere: [RegExp, string][] = [
  [/^(?:git pull && )?docker compose\b|^git pull$/, 'Docker and Git: tools/deploy.long.ts reads the files'],
  [/^pg_dump\b/, 'a program of Postgres'],
  [/^(?:sudo|systemctl|journalctl|echo PUBLIC_URL)\b/, 'systemd: tools/deploy.long.ts runs assemble.sh'],
  [/^(?:curl|auth|agent)\b/, 'agent-http.md: e2e/docs-commands.test.ts runs them'],
  [/^[A-Z_]+=[^ ]*(?: of|$)/, 'variables of the server'],
  [/^(?:mkdir|openssl|chmod|echo "postgres:)/, 'secrets as files, made by programs of the system'],
  [
    /^PUBLIC_URL=\S+ docker compose\b|^(?:kubectl|helm) /,
    'Docker and Kubernetes: tools/servers-deploy.test.ts reads the files',
  ],
  [/^tailscale /, 'a program of Tailscale'],
  [/^npm run|^npx (?:lint-staged|\.\/server)$/, 'an example of what an agent, a hook or a server runs'],
  [/^npx --yes (?:<|\{|https:)/, 'the packed daemon: e2e/first-run.test.ts runs it'],
];

/** Lines of the blocks for a shell, and commands inside of sentences. */
const commandsOf = (page: string): string[] => {
  const text = read(page);
  const shell = runAsTheyAre.has(page) ? [] : [...text.matchAll(/^```sh\n(.*?)^```$/gms)];
  const blocks = shell.flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .trim()
      .split('\n'),
  );
  const prompts = [...text.matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line);
  const spans = [
    ...text.matchAll(
      /`((?:alias |drawbridge |drawbridge-server |npx |pnpm |docker |sudo |git pull|systemctl |journalctl |npm run|tailscale )[^`]*)`/g,
    ),
  ].map(([, span = '']) => span.replaceAll(/\s+/g, ' '));
  return [...blocks, ...prompts, ...spans];
};

/** The words of a line as a shell splits it; what stands for something else ends a command. */
const wordsOf = (line: string): { words: string[]; isWhole: boolean } => {
  const all = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );
  const end = all.findIndex((word) => /[<>[\]{}|]|^…$/.test(word));
  return { words: end < 0 ? all : all.slice(0, end), isWhole: end < 0 };
};

const nothing = async () => {};
const cli = (words: string[]) => createCli('0.0.0', { connect: nothing, answer: nothing }, words);
// Commander calls them with what it has parsed, and nothing more is tested.
const actions = new Proxy({}, { get: () => nothing }) as Actions;
const serverProgram = async () => createServerProgram('0.0.0', actions);

/** Parses a command to its end; of one that is only named, or has a placeholder, the command must exist. */
const parse = async (
  program: Awaited<ReturnType<typeof cli>>,
  { words, isWhole }: ReturnType<typeof wordsOf>,
) => {
  const named: string[] = [];
  let command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    named.push(word);
    command = next;
  }
  const isOnlyNamed = named.length === words.length;
  const [first = ''] = words;
  if (isOnlyNamed || !isWhole) {
    if (named.length > 0 || words.length === 0 || first.startsWith('http')) return;
    throw new Error('no such command');
  }
  if (first === '--help') return;
  await program.parseAsync(words, { from: 'user' });
};

const scripts = new Set([...Object.keys(manifest.scripts), 'install', 'vitest', '--filter']);

const check = async (line: string): Promise<void> => {
  if (elsewhere.some(([pattern]) => pattern.test(line))) return;
  // The end of a pipe, without what is set for it.
  const [alone = ''] = line.split(' | ').slice(-1);
  const command = alone.replace(/^alias [\w-]+='(.*)'$/, '$1').replace(/^(?:[A-Z0-9_]+=\S+ )+/, '');
  if (elsewhere.some(([pattern]) => pattern.test(command))) return;
  const { words, isWhole } = wordsOf(command);
  const [program = '', ...rest] = words[0] === 'npx' ? words.slice(2) : words;
  if (program === 'drawbridge') return parse(await cli(rest), { words: rest, isWhole });
  if (program === 'drawbridge-server') return parse(await serverProgram(), { words: rest, isWhole });
  const [script = '', ...args] = rest[0] === '--silent' ? rest.slice(1) : rest;
  if (!/^pnpm(?:@10)?$/.test(program) || !scripts.has(script)) throw new Error('not known');
  if (script === 'drawbridge-server') await parse(await serverProgram(), { words: args, isWhole });
};

it.each(pages)('%s has no command that its program does not know', async (page) => {
  const failures: string[] = [];
  for (const line of commandsOf(page))
    await check(line).catch((error: Error) => failures.push(`${line}: ${error.message}`));
  expect(failures).toEqual([]);
});

it('finds a wrong flag, a wrong command and a wrong script', async () => {
  const quiet = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => quiet.mockRestore());
  for (const line of [
    'drawbridge permissions set shell maybe',
    'drawbridge status --nothing',
    'drawbridge-server token create --user ann@example.org',
    'npx --yes pnpm@10 drawbridge-server nothing here',
    'pnpm nothing',
    'somebody else',
  ])
    await expect(check(line), line).rejects.toThrow();
});
