/** Numbers of the agent; docs/agent.md lists them. */
export const agentLimits = {
  /** Addresses that a run may fetch without a question, and the characters of their paths and queries. */
  unaskedAddresses: 30,
  unaskedCharacters: 3_000,
  /** Steps of an agent by its kind; a delegate's own limit is at most the last one. */
  mainSteps: 100,
  plannedSteps: 60,
  researchSteps: 25,
  delegateSteps: 10,
  maxDelegateSteps: 30,
  /** Calls of one step. */
  callsPerStep: 32,
  callsPerRun: 300,
  /** Open questions of a user in one list, oldest first. */
  listedAsks: 200,
  /** Cached tokens count a tenth. */
  tokensPerRun: 2_000_000,
  /** Time of a run without the time that it waits for the person, in milliseconds. */
  runMs: 2 * 60 * 60 * 1_000,
  /** Reading tools that run side by side. */
  parallelReads: 4,
  /** Sub-agents of a run that work at once. */
  delegatesAtOnce: 4,
  turnsPerSubAgent: 20,
  backgroundPerThread: 5,
  backgroundPerUser: 10,
  /** Runs that background work starts after one message of the person. */
  followUps: 5,
  /** Messages of a user that wait in lanes. */
  waitingPerUser: 200,
  /** Of their attachments together, decoded. */
  waitingAttachmentBytes: 64 * 1024 * 1024,
  /** Idempotency keys of a sender that are kept, and for how long. */
  keptKeys: 1_000,
  keptKeysMs: 24 * 60 * 60 * 1_000,
  /** Files that a run may send to the person, and their bytes together. */
  sentFiles: 10,
  sentBytes: 10 * 1024 * 1024,
  argumentsBytes: 4 * 1024 * 1024,
  /** Arguments as the thread shows them, in bytes of JSON. */
  shownArgumentsBytes: 16 * 1024,
  /** Reasoning of a step as the thread shows it, in characters. */
  shownReasoning: 32_000,
  /** A refused prompt lowers the context of a model no further: the system prompt fits into it. */
  leastContextTokens: 8_192,
  modelRetries: 3,
  /** Tries of a transaction that others came before: a task's end gives way to each other one of a thread. */
  commitTries: 30,
  /** After a failure of the helper model, in milliseconds. */
  notesRestMs: 5 * 60 * 1_000,
  /** A run that the server did not survive this often is interrupted. */
  crashes: 3,
  /** Work that was left longer ago is not resumed without the person, in milliseconds. */
  awayMs: 15 * 60 * 1_000,
  /** Stop ends everything after this, also what has not answered, in milliseconds. */
  stopMs: 1_500,
  /** A run that has not ended after this is released, in milliseconds. */
  forcedMs: 5_000,
  backgroundIdleMs: 10 * 60 * 1_000,
  backgroundMs: 30 * 60 * 1_000,
  sweepEveryMs: 60 * 1_000,
} as const;
