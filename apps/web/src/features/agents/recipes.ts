import { restBase } from '@drawbridge/contracts/rest';
import { shellLine } from './shell-word.ts';

/** How an agent reaches the server. `token` is a placeholder until one is created. */
export interface Connection {
  /** The server's own address, without a slash at the end. */
  url: string;
  token: string;
}

/** Content to paste: a file, a command, or the fields of a form. */
export type Step =
  | { kind: 'text'; where: string; text: string }
  | { kind: 'fields'; where: string; fields: Field[] };

/** One field of a form; a value that is selected from a list needs no copy button. */
interface Field {
  label: string;
  value: string;
  isPicked?: true;
}

/** How to connect one agent, according to its own documentation. */
export interface Recipe {
  id: string;
  label: string;
  /** Connects with OAuth: the user grants access in the panel and pastes no token. */
  signsIn?: true;
  steps(connection: Connection): Step[];
  /** Remarks and further steps. */
  notes: string[];
}

/** Shown in place of the token until one is created. */
export const tokenPlaceholder = 'YOUR_TOKEN';

const name = 'drawbridge';
const mcpUrl = ({ url }: Connection) => `${url}/mcp`;
const bearer = ({ token }: Connection) => `Bearer ${token}`;
const header = (connection: Connection) => `Authorization: ${bearer(connection)}`;
const indented = (value: unknown) => JSON.stringify(value, null, 2);
const text = (where: string, content: string): Step => ({ kind: 'text', where, text: content });

const isLoopback = (url: string) => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(url);
/** mcp-remote refuses plain http to another machine without it. */
const allowHttp = ({ url }: Connection) =>
  url.startsWith('http:') && !isLoopback(url) ? ['--allow-http'] : [];

export const recipes: readonly [Recipe, ...Recipe[]] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    steps: (to) => [
      text(
        'In a terminal, in the folder of your project',
        shellLine('claude', 'mcp', 'add', '--transport', 'http', name, mcpUrl(to), '--header', header(to)),
      ),
    ],
    notes: [
      'This applies to this folder only. Add --scope user after add to use it in every folder.',
      'claude mcp list shows whether it is connected. In a session, use /mcp.',
    ],
  },
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    steps: (to) => [
      text(
        'claude_desktop_config.json: Settings, Developer, Edit Config',
        indented({
          mcpServers: {
            [name]: {
              command: 'npx',
              // No space in an argument: Windows would split it.
              args: [
                '-y',
                'mcp-remote',
                mcpUrl(to),
                ...allowHttp(to),
                '--header',
                'Authorization:${AUTH_HEADER}',
              ],
              env: { AUTH_HEADER: bearer(to) },
            },
          },
        }),
      ),
    ],
    notes: [
      'macOS: ~/Library/Application Support/Claude/claude_desktop_config.json. Windows: %APPDATA%\\Claude\\claude_desktop_config.json.',
      'It runs mcp-remote, which needs Node.js on that computer. Restart Claude Desktop afterwards.',
    ],
  },
  {
    id: 'cursor',
    label: 'Cursor',
    steps: (to) => [
      text(
        '~/.cursor/mcp.json for every project, or .cursor/mcp.json in one',
        indented({ mcpServers: { [name]: { url: mcpUrl(to), headers: { Authorization: bearer(to) } } } }),
      ),
    ],
    notes: [
      'Keep a file with a token out of version control.',
      'Settings, Tools & MCP shows whether it is connected.',
    ],
  },
  {
    id: 'vs-code',
    label: 'VS Code',
    steps: (to) => [
      text(
        '.vscode/mcp.json in your project, or the command MCP: Open User Configuration',
        indented({
          inputs: [
            {
              type: 'promptString',
              id: `${name}-token`,
              description: 'Drawbridge access token',
              password: true,
            },
          ],
          servers: {
            [name]: {
              type: 'http',
              url: mcpUrl(to),
              headers: { Authorization: `Bearer \${input:${name}-token}` },
            },
          },
        }),
      ),
      text('When VS Code asks for the access token', to.token),
    ],
    notes: ['VS Code stores the token outside this file, so the file can be shared.'],
  },
  {
    id: 'codex',
    label: 'Codex',
    steps: (to) => [
      text(
        '~/.codex/config.toml',
        [
          `[mcp_servers.${name}]`,
          `url = ${JSON.stringify(mcpUrl(to))}`,
          'bearer_token_env_var = "DRAWBRIDGE_TOKEN"',
        ].join('\n'),
      ),
      text('In the terminal that starts Codex', shellLine('export', `DRAWBRIDGE_TOKEN=${to.token}`)),
    ],
    notes: ['Codex reads the token from the environment only. /mcp shows whether it is connected.'],
  },
  {
    id: 'n8n',
    label: 'n8n',
    steps: (to) => [
      {
        kind: 'fields',
        where: 'In an MCP Client Tool node, below an AI Agent',
        fields: [
          { label: 'Endpoint', value: mcpUrl(to) },
          { label: 'Server Transport', value: 'HTTP Streamable', isPicked: true },
          { label: 'Authentication', value: 'Bearer Auth', isPicked: true },
          { label: 'Bearer Token of a new credential', value: to.token },
          { label: 'Tools to Include', value: 'All', isPicked: true },
        ],
      },
    ],
    notes: [
      'The default of Options, Timeout is 60000 ms. A longer timeout gives you more time to answer a question.',
    ],
  },
  {
    id: 'claude-ai',
    label: 'claude.ai',
    signsIn: true,
    steps: (to) => [
      {
        kind: 'fields',
        where: 'Customize, Connectors, Add custom connector',
        fields: [
          { label: 'Name', value: 'Drawbridge' },
          { label: 'Remote MCP server URL', value: mcpUrl(to) },
        ],
      },
    ],
    notes: [
      'Also available in Claude Desktop and the Claude apps. Requests come from Anthropic servers, which must be able to reach this address over https.',
    ],
  },
  {
    id: 'chatgpt',
    label: 'ChatGPT',
    signsIn: true,
    steps: (to) => [
      {
        kind: 'fields',
        where: 'Settings, Apps, Advanced settings: turn Developer mode on. Then Settings, Apps, Create app',
        fields: [
          { label: 'Name', value: 'Drawbridge' },
          { label: 'MCP Server URL', value: mcpUrl(to) },
          { label: 'Authentication', value: 'OAuth', isPicked: true },
        ],
      },
    ],
    notes: ['Requests come from OpenAI servers, which must be able to reach this address over https.'],
  },
  {
    id: 'json',
    label: 'Other client',
    steps: (to) => [
      text(
        'In the MCP configuration of the client',
        indented({
          mcpServers: {
            [name]: { type: 'http', url: mcpUrl(to), headers: { Authorization: bearer(to) } },
          },
        }),
      ),
    ],
    notes: ['For clients that support MCP over HTTP (Streamable HTTP) and can send a header.'],
  },
  {
    id: 'curl',
    label: 'curl',
    steps: (to) => [
      text('List the tools', shellLine('curl', '-H', header(to), `${to.url}${restBase}/tools`)),
      text(
        'Run a tool',
        shellLine(
          'curl',
          '-H',
          header(to),
          '-H',
          'Content-Type: application/json',
          '-d',
          JSON.stringify({ name: 'list_files', arguments: { dirPath: '.' } }),
          `${to.url}${restBase}/calls`,
        ),
      ),
    ],
    notes: ['For a POSIX shell. The API is described in /api/v1/openapi.json.'],
  },
];
