/** The settings of the agent: one row a scope that has changed them. */
export interface AgentSettingsTable {
  /** `all` for the owner's, `user:<id>` for a user's own. */
  scope: string;
  /** JSON. */
  values: string;
  /** Keys by their name, as JSON, each encrypted. */
  sealedKeys: string;
  updatedAt: number;
}

export interface AgentSettingsTables {
  agentSettings: AgentSettingsTable;
}
