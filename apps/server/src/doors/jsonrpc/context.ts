import type { AgentModule } from '@drawbridge/agent';
import type { Sessions } from '../../agent/index.ts';
import type { AccessControl, Accounts } from '../../auth/index.ts';
import type { CallerContext } from '../../callers/index.ts';
import type { Limits, NameLimit } from '../../http/index.ts';
import type { Connections } from './socket/connections.ts';

/** What every method has at hand. */
export interface RpcContext extends CallerContext {
  accounts: Accounts;
  access: AccessControl;
  limits: Limits;
  connections: Connections;
  /** Counts requests beyond the limit of a minute, by connection. */
  refusals: NameLimit;
  /** Whether the server is about to end: no new work. */
  isDraining(): boolean;
  /** Undefined where `DISABLED_MODULES` names the agent. */
  agent: AgentModule | undefined;
  /** The names of the agent's threads. */
  sessions: Sessions;
  /** When the server started, in milliseconds since 1970. */
  startedAt: number;
  /** The origin under which people reach the server. */
  url(): string;
}
