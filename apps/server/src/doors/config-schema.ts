import { z } from 'zod';
import { onOff, setting, whole } from '../setting.ts';

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
  rpcFrameMaxBytes: setting(
    'RPC_FRAME_MAX_BYTES',
    'The largest frame that a JSON-RPC client may send, in bytes.',
    whole(64 * 1024, 64 * 1024 * 1024).prefault(String(16 * 1024 * 1024)),
  ),
  mcpWaitMs: setting(
    'MCP_WAIT_MS',
    'How long an MCP client waits for the decision of the user, in milliseconds; then the client asks again.',
    whole(1_000, 600_000).prefault('50000'),
  ),
});
