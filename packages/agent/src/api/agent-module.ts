import type {
  AgentSettings,
  AgentSettingsInput,
  AgentStatus,
  UserKeys,
  UserKeysInput,
  VerifyReply,
  SettingsDraft,
  VerifyTarget,
} from '@drawbridge/contracts/agent/settings';
import type { ModelInfo } from '../ports/model.ts';
import type { Agent } from './agent.ts';

/** The agent with the owner's settings, as the doors use it. */
export interface AgentModule {
  agent: Agent;
  /** For a person: without a model it is on where a machine of theirs has a coding agent. */
  status(userId?: string): Promise<AgentStatus>;
  /** The main model; null while none is chosen. */
  model(): Promise<ModelInfo | null>;
  settings: {
    get(): Promise<AgentSettings>;
    change(input: AgentSettingsInput): Promise<AgentSettings>;
  };
  /** Keys that a person has set for themselves. */
  userKeys: {
    get(userId: string): Promise<UserKeys>;
    /** Throws `badRequest` for blanks, and while the owner has not named the server of the key. */
    change(userId: string, input: UserKeysInput): Promise<UserKeys>;
  };
  /** Tests a part of the settings as if the draft were saved; `userId` is the owner's. */
  verify(userId: string, target: VerifyTarget, draft?: SettingsDraft): Promise<VerifyReply>;
}
