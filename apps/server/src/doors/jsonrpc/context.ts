import type { AgentModule } from '@drawbridge/agent';
import type { PerMinute } from '@drawbridge/kit';
import type { Sessions } from '../../agent/index.ts';
import type { AccessControl, Accounts, Tokens } from '../../auth/index.ts';
import type { CallerContext } from '../../callers/index.ts';
import type { Channels } from '../../channels/index.ts';
import type { Limits } from '../../http/index.ts';
import type { Companions, PresenceOfServer } from '../../nodes/index.ts';
import type { Ops } from '../../ops/index.ts';
import type { SettingsOfServer } from '../../settings/index.ts';
import type { SpeechService, Transcribe } from '../../voice/index.ts';
import type { Connections } from './socket/connections.ts';

/** What the environment has set, as the owner may see it. */
export interface ConfigurationFacts {
  /** Without keys and paths. */
  shown: Record<string, unknown>;
  /** The variables behind it. */
  variables: readonly string[];
}

/** What every method has at hand. */
export interface RpcContext extends CallerContext {
  accounts: Accounts;
  tokens: Pick<Tokens, 'list'>;
  access: AccessControl;
  limits: Limits;
  connections: Connections;
  /** Counts requests beyond the limit of a minute, by connection. */
  refusals: PerMinute;
  /** Whether the server is about to end: no new work. */
  isDraining(): boolean;
  /** Undefined where `DISABLED_MODULES` names the agent. */
  agent: AgentModule | undefined;
  /** The names of the agent's threads. */
  sessions: Sessions;
  ops: Ops;
  channels: Channels;
  transcribe: Transcribe;
  speech: SpeechService;
  /** Whether recordings are transcribed. */
  hasVoice: boolean;
  presence: PresenceOfServer;
  companions: Companions;
  settings: SettingsOfServer;
  configuration: ConfigurationFacts;
  /** When the server started, in milliseconds since 1970. */
  startedAt: number;
  /** The origin under which people reach the server. */
  url(): string;
}
