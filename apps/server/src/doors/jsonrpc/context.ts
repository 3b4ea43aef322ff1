import type { AgentModule } from '@drawbridge/agent';
import type { AccessControl, Accounts } from '../../auth/index.ts';
import type { CallerContext } from '../../callers/index.ts';
import type { Limits } from '../../http/index.ts';
import type { Connections } from './connections.ts';

/** What every method has at hand. */
export interface RpcContext extends CallerContext {
  accounts: Accounts;
  access: AccessControl;
  limits: Limits;
  connections: Connections;
  /** Undefined where `DISABLED_MODULES` names the agent. */
  agent: AgentModule | undefined;
  /** When the server started, in milliseconds since 1970. */
  startedAt: number;
  /** The origin under which people reach the server. */
  url(): string;
}
