import type {
  AgentSettings,
  AgentSettingsInput,
  AgentStatus,
  VerifyReply,
  VerifyTarget,
} from '@drawbridge/contracts/agent/settings';
import type { Agent } from './agent.ts';

/** The agent with the owner's settings, as the doors use it. */
export interface AgentModule {
  agent: Agent;
  status(): Promise<AgentStatus>;
  settings: {
    get(): Promise<AgentSettings>;
    change(input: AgentSettingsInput): Promise<AgentSettings>;
  };
  /** Tests a part of the settings; `userId` is the owner's. */
  verify(userId: string, target: VerifyTarget): Promise<VerifyReply>;
}
