import { isIP } from 'node:net';
import { ownerScope, tokenScopeNames } from '@drawbridge/contracts/tokens';
import { z } from 'zod';
import { onOff, setting, whole } from '../program/setting.ts';

const tailnetAddress = /^(127\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|fd7a:115c:a1e0:|::1$)/i;

/** `login=e-mail` pairs, by login; both in lower case. */
const tailnetUsers = z
  .string()
  .toLowerCase()
  .transform((text) => text.split(',').map((pair) => pair.trim().split('=')))
  .refine(
    (pairs) => pairs.every((pair) => pair.length === 2 && pair.every((part) => /^\S+$/.test(part))),
    'must be pairs such as ann@github=ann@example.org, separated by commas',
  )
  .transform((pairs) => new Map(pairs.map(([login = '', email = '']) => [login, email])));

const tailnetScopes = z
  .string()
  .transform((text) => text.split(',').map((scope) => scope.trim()))
  .pipe(z.array(z.enum(tokenScopeNames).exclude([ownerScope])));

export const doorsConfig = z.object({
  allowQueryKey: setting(
    'GATEWAY_ALLOW_QUERY_KEY',
    'Whether a daemon may send its key as `?apiKey=` when it opens its stream.',
    onOff.prefault('true'),
  ),
  streamsPerAddress: setting(
    'STREAMS_PER_ADDRESS',
    'Machines that may be connected from one address; behind a proxy see `TRUST_PROXY`.',
    whole(1, 1_000_000).prefault('10000'),
  ),
  streamsPerUser: setting(
    'STREAMS_PER_USER',
    'Live streams that one user may have open; a window of the panel has one.',
    whole(3, 10_000).prefault('60'),
  ),
  rpc: setting('RPC', 'Whether the JSON-RPC door at `/rpc` is open.', onOff.prefault('true')),
  rpcPort: setting(
    'RPC_PORT',
    'A second port of the server, for JSON-RPC clients that have 18800 built in. Unset: off.',
    whole(0, 65_535).optional(),
  ),
  rpcFrameMaxBytes: setting(
    'RPC_FRAME_MAX_BYTES',
    'The largest frame that a JSON-RPC client may send, in bytes.',
    whole(64 * 1024, 64 * 1024 * 1024).prefault(String(16 * 1024 * 1024)),
  ),
  tailscalePort: setting(
    'TAILSCALE_PORT',
    'A port for JSON-RPC clients that Tailscale identifies, without a token. Unset: off.',
    whole(0, 65_535).optional(),
  ),
  tailscaleAddress: setting(
    'TAILSCALE_ADDRESS',
    "The server's own address in the tailnet, on which that port opens; the default is for userspace networking.",
    z
      .string()
      .refine((text) => isIP(text) !== 0 && tailnetAddress.test(text), {
        error: 'must be an address of Tailscale, such as 100.101.102.103',
      })
      .prefault('127.0.0.1'),
  ),
  tailscaleHost: setting(
    'TAILSCALE_HOST',
    "The server's name in the tailnet, such as `server.tail1234.ts.net`, where clients do not use the address.",
    z.hostname().toLowerCase().optional(),
  ),
  tailscaleUsers: setting(
    'TAILSCALE_USERS',
    'Who has access there, as `login=e-mail` of an account, separated by commas. Other users are refused.',
    tailnetUsers.default(new Map()),
  ),
  tailscaleScopes: setting(
    'TAILSCALE_SCOPES',
    'What they may do, in the words of access tokens, separated by commas.',
    tailnetScopes.prefault('agent,filesystemRead'),
  ),
  tailscaleSocket: setting(
    'TAILSCALE_SOCKET',
    "The Unix socket of tailscaled's local API.",
    z.string().startsWith('/').prefault('/var/run/tailscale/tailscaled.sock'),
  ),
  mcpWaitMs: setting(
    'MCP_WAIT_MS',
    'How long an MCP client waits for the decision of the user, in milliseconds; then the client asks again.',
    whole(1_000, 600_000).prefault('50000'),
  ),
});
