import type { Config } from '../config.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const daysOf = (ms: number | null) => (ms === null ? null : ms / dayMs);

/** What `config.get` shows of the environment: no path and no key, and the variables behind it. */
export const configurationFacts = (config: Config) => ({
  shown: {
    publicUrl: config.publicUrl ?? null,
    gatewayApiKey: config.gatewayApiKey === undefined ? null : '***',
    callMaxMs: config.callMaxMs,
    resultMaxBytes: config.resultMaxBytes,
    tokenPerMinute: config.tokenPerMinute,
    keepCallsDays: daysOf(config.keepCallsMs),
    keepThreadsDays: daysOf(config.keepThreadsMs),
    rpcFrameMaxBytes: config.rpcFrameMaxBytes,
    opsControl: config.opsControl,
    opsUnits: config.opsUnits,
    hasComposeFile: config.opsComposeFile !== undefined && config.opsComposeFile !== 'off',
  },
  variables: [
    'PUBLIC_URL',
    'GATEWAY_API_KEY',
    'CALL_MAX_MS',
    'RESULT_MAX_BYTES',
    'TOKEN_PER_MINUTE',
    'KEEP_CALLS_DAYS',
    'KEEP_THREADS_DAYS',
    'RPC_FRAME_MAX_BYTES',
    'OPS_CONTROL',
    'OPS_UNITS',
    'OPS_COMPOSE_FILE',
  ],
});
