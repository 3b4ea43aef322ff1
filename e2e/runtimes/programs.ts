import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tools } from './coding-model.ts';

/** A real coding agent: how its program is installed, and how it is led to a model on this machine. */
export interface RealProgram {
  id: string;
  title: string;
  program: string;
  tools: Tools;
  /** Its model reads why something was denied. */
  readsReasons?: true;
  /** It asks about what reads, too. */
  asksToRead?: true;
  /** Files in the home of its person. */
  files(modelUrl: string): Record<string, object | string>;
  /** Variables of its entry in `runtimes.json`. */
  env(modelUrl: string): Record<string, string>;
  /** More arguments of its entry. */
  args?(modelUrl: string): string[];
  /** The same of a person without a login; undefined where a program can do without one. */
  signedOut?: Partial<Pick<RealProgram, 'files' | 'env' | 'args'>>;
}

const text = 'A step of the test';

export const realPrograms: RealProgram[] = [
  {
    ...{ id: 'claude_code', title: 'Claude Code', program: 'claude', readsReasons: true },
    tools: {
      run: (command) => ({ name: 'Bash', arguments: { command, description: text } }),
      read: (path) => ({ name: 'Read', arguments: { file_path: path } }),
      write: (path, content) => ({ name: 'Write', arguments: { file_path: path, content } }),
    },
    files: () => ({}),
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key' }),
    signedOut: { env: (url) => ({ ANTHROPIC_BASE_URL: url }) },
  },
  {
    ...{ id: 'codex', title: 'Codex', program: 'codex', asksToRead: true, readsReasons: true },
    tools: {
      // By default it goes on after ten seconds without the command's end.
      run: (cmd) => ({ name: 'exec_command', arguments: { cmd, yield_time_ms: 30_000 } }),
      read: (path) => ({ name: 'exec_command', arguments: { cmd: `cat ${path}` } }),
      write: (path, content) => ({
        name: 'apply_patch',
        arguments: `*** Begin Patch\n*** Update File: ${path}\n@@\n-old\n+${content}\n*** End Patch\n`,
      }),
    },
    files: () => ({}),
    env: () => ({}),
    args: (url) => [
      ...['-c', 'model="gpt-5.5"', '-c', 'model_provider="scripted"'],
      ...['-c', `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses"}`],
    ],
    signedOut: { args: (url) => ['-c', `openai_base_url="${url}/v1"`] },
  },
  {
    ...{ id: 'gemini', title: 'Gemini CLI', program: 'gemini' },
    tools: {
      run: (command) => ({ name: 'run_shell_command', arguments: { command, description: text } }),
      read: (path) => ({ name: 'read_file', arguments: { file_path: path } }),
      write: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
    },
    files: () => ({
      '.gemini/settings.json': {
        model: { name: 'gemini-2.5-flash' },
        security: { auth: { selectedType: 'gemini-api-key' } },
      },
    }),
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'key' }),
    signedOut: { env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }) },
  },
  {
    ...{ id: 'opencode', title: 'OpenCode', program: 'opencode' },
    tools: {
      run: (command) => ({ name: 'bash', arguments: { command, description: text } }),
      read: (path) => ({ name: 'read', arguments: { filePath: path } }),
      write: (path, content) => ({ name: 'write', arguments: { filePath: path, content } }),
    },
    files: (url) => ({
      '.config/opencode/opencode.json': {
        model: 'scripted/one',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'key' },
            models: {
              one: {
                ...{ name: 'one', attachment: true },
                modalities: { input: ['text', 'image'], output: ['text'] },
              },
            },
          },
        },
      },
    }),
    env: () => ({}),
  },
  {
    ...{ id: 'pi_embedded', title: 'Pi', program: 'pi', readsReasons: true },
    tools: {
      run: (command) => ({ name: 'bash', arguments: { command } }),
      read: (path) => ({ name: 'read', arguments: { path } }),
      write: (path, content) => ({ name: 'write', arguments: { path, content } }),
    },
    files: (url) => ({
      '.pi/agent/models.json': {
        providers: {
          scripted: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: 'key',
            models: [{ id: 'one', name: 'one', input: ['text', 'image'] }],
          },
        },
      },
    }),
    env: () => ({}),
    args: () => ['--model', 'scripted/one'],
  },
];

/** The versions that Drawbridge was last tried with. */
const versions = [
  ...['@anthropic-ai/claude-code@2.1.330', '@openai/codex@0.169.0'],
  ...['@google/gemini-cli@0.61.0', 'opencode-ai@1.18.33'],
  '@earendil-works/pi-coding-agent@1.6.0',
];
/** What puts the program of this system in its place: scripts of an install are not run otherwise. */
const placing = ['@anthropic-ai/claude-code/install.cjs', 'opencode-ai/postinstall.mjs'];

/** Installs all of them into the folder where they are missing. Returns why that is not possible. */
export const installPrograms = (folder: string): string | undefined => {
  const modules = join(folder, 'node_modules');
  const isThere = () => realPrograms.every(({ program }) => existsSync(join(modules, '.bin', program)));
  if (isThere()) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const add = spawnSync('npm', ['install', ...options, ...versions], { cwd: folder, encoding: 'utf8' });
  for (const script of placing) {
    const path = join(modules, script);
    if (existsSync(path)) spawnSync(process.execPath, [path], { cwd: join(path, '..') });
  }
  return isThere() ? undefined : (add.stderr.split('\n')[0] ?? 'npm failed').replace(/[[\]]/g, '');
};
