import type { Runtime } from './runtimes-file.ts';

/** A coding agent that is known by name: how it is started, and what mends what is missing. */
export interface KnownRuntime extends Omit<Runtime, 'command'> {
  program: string;
  /** Shown, never run. */
  install: string;
  signIn: string;
  /** Any of these files, or variables, means that it is signed in, or what it says itself as JSON. */
  signedIn: { files: string[]; variables: string[]; ask?: string[] };
  /** The oldest version that is supported. */
  oldest: string;
}

/** By the pages of these programs. */
export const knownRuntimes: Record<string, KnownRuntime> = {
  claude_code: {
    ...{ title: 'Claude Code', program: 'claude', args: [], protocol: 'claude', mode: 'default' },
    hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Each command begins in the folder that its question names.
      CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1',
    },
    passedVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    folders: ['~/.claude'],
    fresh: [],
    reads: [],
    writes: ['~/.claude/.credentials.json'],
    refusesFolders: [],
    continues: true,
    install: 'npm install -g @anthropic-ai/claude-code',
    signIn: 'claude auth login',
    signedIn: { files: [], variables: [], ask: ['auth', 'status', '--json'] },
    oldest: '2.1.300',
  },
  codex: {
    ...{ title: 'Codex', program: 'codex', args: ['app-server'], protocol: 'codex', mode: null },
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
    env: {},
    passedVariables: [],
    folders: ['~/.codex/sessions'],
    // Settings and rules there would allow what it asks about.
    fresh: ['~/.codex'],
    reads: [],
    writes: ['~/.codex/auth.json'],
    refusesFolders: [],
    continues: true,
    install: 'npm install -g @openai/codex',
    signIn: 'codex login',
    signedIn: { files: ['~/.codex/auth.json'], variables: [] },
    oldest: '0.169.0',
  },
  pi_embedded: {
    ...{ title: 'Pi', program: 'pi', args: [], protocol: 'pi', mode: null },
    hosts: ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
    env: {},
    passedVariables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    folders: ['~/.pi/agent/sessions'],
    // Settings and extensions there would change what runs.
    fresh: ['~/.pi'],
    reads: ['~/.pi/agent/models.json'],
    writes: ['~/.pi/agent/auth.json'],
    // It follows one of its settings before it leaves out the others.
    refusesFolders: ['.pi'],
    continues: true,
    install: 'npm install -g @earendil-works/pi-coding-agent',
    signIn: 'pi auth login',
    signedIn: {
      files: ['~/.pi/agent/auth.json'],
      variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    },
    oldest: '1.6.0',
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    args: ['--acp'],
    protocol: 'acp',
    hosts: [
      'generativelanguage.googleapis.com',
      'cloudcode-pa.googleapis.com',
      'oauth2.googleapis.com',
      'www.googleapis.com',
    ],
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    passedVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT'],
    folders: [],
    fresh: ['~/.gemini'],
    reads: ['~/.gemini/settings.json', '~/.gemini/installation_id'],
    writes: ['~/.gemini/oauth_creds.json', '~/.gemini/google_accounts.json'],
    mode: 'default',
    refusesFolders: [],
    continues: false,
    install: 'npm install -g @google/gemini-cli',
    signIn: 'gemini',
    signedIn: { files: ['~/.gemini/oauth_creds.json'], variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
    oldest: '0.61.0',
  },
  opencode: {
    title: 'OpenCode',
    program: 'opencode',
    args: ['acp'],
    protocol: 'acp',
    hosts: ['opencode.ai', 'api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: { '*': 'ask', read: 'allow' } }),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
    passedVariables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    folders: ['~/.local/share/opencode', '~/.local/state/opencode'],
    fresh: ['~/.cache/opencode', '~/.config/opencode'],
    reads: ['~/.config/opencode/opencode.json', '~/.config/opencode/opencode.jsonc'],
    writes: ['~/.local/share/opencode/auth.json'],
    mode: null,
    refusesFolders: ['.opencode'],
    continues: true,
    install: 'npm install -g opencode-ai',
    signIn: 'opencode auth login',
    signedIn: {
      files: ['~/.local/share/opencode/auth.json'],
      variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    },
    oldest: '1.18.0',
  },
};
