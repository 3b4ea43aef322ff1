import { z } from 'zod';

/**
 * One error code with its number in each door. `retryable`: the same request may succeed later. `message` and
 * `fix` are for the user.
 */
export interface ErrorRow {
  readonly code: string;
  readonly http: number;
  readonly trpc: string;
  readonly jsonrpc: number;
  /** At the JSON-RPC door, in frames without `jsonrpc`. */
  readonly rpc: number;
  readonly retryable: boolean;
  readonly message: string;
  readonly fix?: string;
  /** When it may succeed, in seconds, where that is known beforehand. */
  readonly retryAfterSeconds?: number;
}

const row = <const Row extends ErrorRow>(value: Row): Row => value;

// prettier-ignore
export const errorTable = {
  badRequest: row({ code: 'BAD_REQUEST', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32602, rpc: -2, retryable: false, message: 'The request is not valid' }),
  tooDeep: row({ code: 'TOO_DEEP', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32600, rpc: -2, retryable: false, message: 'The JSON is nested too deeply' }),
  unauthorized: row({ code: 'UNAUTHORIZED', http: 401, trpc: 'UNAUTHORIZED', jsonrpc: -32001, rpc: -5, retryable: false, message: 'Not signed in', fix: 'Sign in and try again.' }),
  twoSessions: row({ code: 'TWO_SESSIONS', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32602, rpc: -2, retryable: false, message: 'Two sessions came with one request', fix: 'Another program on this host may have set a cookie. Delete the cookies of this host and sign in again.' }),
  forbidden: row({ code: 'FORBIDDEN', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'Forbidden' }),
  tokenUsed: row({ code: 'PAIRING_TOKEN_USED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'This pairing token was used already', fix: 'Create a new command in the panel. Commands work once, for five minutes.' }),
  tokenExpired: row({ code: 'PAIRING_TOKEN_EXPIRED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'This pairing token has expired, or a newer command replaced it', fix: 'Create a new command in the panel. Commands work once, for five minutes.' }),
  pairingEnded: row({ code: 'PAIRING_ENDED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'The pairing of this machine was ended', fix: 'Create a new command in the panel.' }),
  foreignOrigin: row({ code: 'FOREIGN_ORIGIN', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'This request came from another site', fix: 'Open the panel at the address in PUBLIC_URL. If the address in the browser is right, set PUBLIC_URL to it and restart the server.' }),
  gatewayDisabled: row({ code: 'GATEWAY_DISABLED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'Remote use is turned off', fix: 'Turn it on in Settings.' }),
  machinePaused: row({ code: 'MACHINE_PAUSED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'The machine is paused', fix: 'Resume it in the panel.' }),
  notFound: row({ code: 'NOT_FOUND', http: 404, trpc: 'NOT_FOUND', jsonrpc: -32004, rpc: 19, retryable: false, message: 'Not found' }),
  methodNotFound: row({ code: 'METHOD_NOT_FOUND', http: 404, trpc: 'NOT_FOUND', jsonrpc: -32601, rpc: -3, retryable: false, message: 'Unknown method' }),
  sessionNotFound: row({ code: 'SESSION_NOT_FOUND', http: 404, trpc: 'NOT_FOUND', jsonrpc: -32004, rpc: 1, retryable: false, message: 'Unknown session' }),
  notAvailable: row({ code: 'NOT_AVAILABLE', http: 501, trpc: 'NOT_IMPLEMENTED', jsonrpc: -32004, rpc: 17, retryable: false, message: 'This server does not offer that' }),
  unknownTool: row({ code: 'UNKNOWN_TOOL', http: 404, trpc: 'NOT_FOUND', jsonrpc: -32601, rpc: 2, retryable: false, message: 'The machine does not offer this tool', fix: 'Check the list of tools; a group on deny is not offered.' }),
  methodNotAllowed: row({ code: 'METHOD_NOT_ALLOWED', http: 405, trpc: 'METHOD_NOT_SUPPORTED', jsonrpc: -32601, rpc: -3, retryable: false, message: 'This method is not allowed here' }),
  timedOut: row({ code: 'TIMED_OUT', http: 408, trpc: 'TIMEOUT', jsonrpc: -32008, rpc: 20, retryable: true, message: 'Local gateway timed out' }),
  alreadyDecided: row({ code: 'ALREADY_DECIDED', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'This confirmation has been answered already' }),
  confirmationClosed: row({ code: 'CONFIRMATION_CLOSED', http: 410, trpc: 'CONFLICT', jsonrpc: -32010, rpc: 18, retryable: false, message: 'This confirmation is no longer open' }),
  conflictingResult: row({ code: 'CONFLICTING_RESULT', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'This call has another answer already' }),
  replaced: row({ code: 'REPLACED', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'Another process has connected as this machine' }),
  oldEpoch: row({ code: 'OLD_EPOCH', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: true, message: 'The machine has connected again since this question was sent' }),
  alreadySetUp: row({ code: 'ALREADY_SET_UP', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'The owner account exists already', fix: 'Sign in.' }),
  dataFolderNotWritable: row({ code: 'DATA_FOLDER_NOT_WRITABLE', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: false, message: 'The server cannot write to its data folder', fix: 'Make the folder and its files writable for the user that runs the server, or set DATA_DIR to another folder.' }),
  dataFolderUnsafe: row({ code: 'DATA_FOLDER_UNSAFE', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: false, message: 'Other users can write to the data folder', fix: 'Run chmod go-w on the folder, or set DATA_DIR to a folder that only this user can write to.' }),
  dataFolderInUse: row({ code: 'DATA_FOLDER_IN_USE', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'Another server runs on this data folder', fix: 'Stop it, or set DATA_DIR to another folder.' }),
  otherSecret: row({ code: 'OTHER_SECRET', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'SECRET is not the one that this store was used with', fix: 'Set SECRET to the value of the other servers of this store.' }),
  emailTaken: row({ code: 'EMAIL_TAKEN', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'There is an account with this e-mail address already' }),
  decisionNotOffered: row({ code: 'DECISION_NOT_OFFERED', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32602, rpc: -2, retryable: false, message: 'The machine did not offer this decision' }),
  reachNotOffered: row({ code: 'REACH_NOT_OFFERED', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32602, rpc: -2, retryable: false, message: 'The machine did not offer this reach with this decision' }),
  ruleRefused: row({ code: 'RULE_REFUSED', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32602, rpc: -2, retryable: false, message: 'The machine refused this rule' }),
  rulesNotPermitted: row({ code: 'RULES_NOT_PERMITTED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'This can be done at the machine only', fix: 'Use drawbridge permissions there, or set remoteRules to true in its settings.json.' }),
  rulesUnsupported: row({ code: 'RULES_UNSUPPORTED', http: 501, trpc: 'NOT_IMPLEMENTED', jsonrpc: -32004, rpc: 17, retryable: false, message: 'This machine cannot show its rules', fix: 'Update Drawbridge on it, or run drawbridge permissions there.' }),
  idempotencyKeyReused: row({ code: 'IDEMPOTENCY_KEY_REUSED', http: 422, trpc: 'UNPROCESSABLE_CONTENT', jsonrpc: -32602, rpc: 18, retryable: false, message: 'This idempotency key belongs to another call', fix: 'Use a new key for a new call.' }),
  tooLarge: row({ code: 'TOO_LARGE', http: 413, trpc: 'PAYLOAD_TOO_LARGE', jsonrpc: -32013, rpc: 14, retryable: false, message: 'Too large' }),
  unsupportedMediaType: row({ code: 'UNSUPPORTED_MEDIA_TYPE', http: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE', jsonrpc: -32015, rpc: -2, retryable: false, message: 'Send application/json' }),
  tooManyRequests: row({ code: 'TOO_MANY_REQUESTS', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 10, retryable: true, message: 'Too many requests', fix: 'Wait a moment and try again.' }),
  tooManyTokens: row({ code: 'TOO_MANY_TOKENS', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 10, retryable: false, message: 'You have the maximum number of access tokens', fix: 'Revoke one that you do not use.' }),
  tooManyDevices: row({ code: 'TOO_MANY_DEVICES', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 10, retryable: false, message: 'You have the maximum number of devices with notifications', fix: 'Turn them off on one that you do not use.' }),
  tooManyMachines: row({ code: 'TOO_MANY_MACHINES', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 10, retryable: false, message: 'You have the maximum number of machines', fix: 'Remove one that you do not use, in the panel under Machines.' }),
  machineNameTaken: row({ code: 'MACHINE_NAME_TAKEN', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'Another machine has this name', fix: 'Choose another name.' }),
  machineConnected: row({ code: 'MACHINE_CONNECTED', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: false, message: 'The machine is connected', fix: 'Disconnect it first.' }),
  invalidArguments: row({ code: 'INVALID_ARGUMENTS', http: 400, trpc: 'BAD_REQUEST', jsonrpc: -32602, rpc: -2, retryable: false, message: 'The arguments do not fit the tool', fix: 'Compare them with the inputSchema of the tool.' }),
  storedTooMuch: row({ code: 'STORED_TOO_MUCH', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 10, retryable: true, message: 'The calls of this token, client or person have stored as much as they may today', fix: 'Wait until 0:00 UTC, or set STORED_BYTES_PER_DAY.' }),
  diskAlmostFull: row({ code: 'DISK_ALMOST_FULL', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: true, message: 'The disk of the server is almost full: new calls are refused', fix: 'Free space on the disk of the data folder, or lower DISK_FLOOR_BYTES.' }),
  tooManyCalls: row({ code: 'TOO_MANY_CALLS', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 10, retryable: true, message: 'Too many calls are waiting', fix: 'Wait for some to end, or cancel them.' }),
  conflict: row({ code: 'CONFLICT', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 18, retryable: true, message: 'This was changed meanwhile', fix: 'Read it again.' }),
  runActive: row({ code: 'RUN_ACTIVE', http: 409, trpc: 'CONFLICT', jsonrpc: -32009, rpc: 3, retryable: true, message: 'The agent is still working on an earlier message', fix: 'Wait, stop it, or send with mode queue or steer.' }),
  queueFull: row({ code: 'QUEUE_FULL', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 3, retryable: true, message: 'Too many messages wait in this thread', fix: 'Wait for some to run, or remove one.' }),
  tooManyArtifacts: row({ code: 'TOO_MANY_ARTIFACTS', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 10, retryable: false, message: 'The canvas of this thread is full', fix: 'Delete documents of it.' }),
  tooManyRuns: row({ code: 'TOO_MANY_RUNS', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 10, retryable: true, message: 'The agent works on too many threads', fix: 'Wait for one to end, or stop it.' }),
  budgetSpent: row({ code: 'BUDGET_SPENT', http: 429, trpc: 'TOO_MANY_REQUESTS', jsonrpc: -32029, rpc: 10, retryable: false, message: "Today's budget of the agent is spent", fix: 'Try again tomorrow, or ask the owner to raise it in Settings.' }),
  agentOff: row({ code: 'AGENT_OFF', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 17, retryable: false, message: 'The agent has no model', fix: 'Choose a coding agent for this chat, or a model in Settings or with AGENT_MODEL.' }),
  modelRefused: row({ code: 'MODEL_REFUSED', http: 502, trpc: 'BAD_GATEWAY', jsonrpc: -32005, rpc: 5, retryable: false, message: 'The model refused the request', fix: 'Test the model in Settings.' }),
  modelUnavailable: row({ code: 'MODEL_UNAVAILABLE', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: true, message: 'The model cannot be reached', fix: 'Test the model in Settings, and try again.' }),
  issuerUnavailable: row({ code: 'ISSUER_UNAVAILABLE', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: true, message: 'The keys of the issuer of this token cannot be read' }),
  cancelled: row({ code: 'CANCELLED', http: 499, trpc: 'CLIENT_CLOSED_REQUEST', jsonrpc: -32099, rpc: 4, retryable: false, message: 'The call was cancelled' }),
  denied: row({ code: 'DENIED', http: 403, trpc: 'FORBIDDEN', jsonrpc: -32003, rpc: 15, retryable: false, message: 'Access denied by the user' }),
  internal: row({ code: 'INTERNAL', http: 500, trpc: 'INTERNAL_SERVER_ERROR', jsonrpc: -32603, rpc: 5, retryable: true, message: 'Something went wrong on the server' }),
  toolFailed: row({ code: 'TOOL_FAILED', http: 502, trpc: 'BAD_GATEWAY', jsonrpc: -32005, rpc: 5, retryable: false, message: 'The tool failed on the machine' }),
  notConnected: row({ code: 'NOT_CONNECTED', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 13, retryable: true, message: 'Local gateway is not connected', fix: 'Run drawbridge connect on the machine, or connect one in the panel.' }),
  disconnected: row({ code: 'DISCONNECTED', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 13, retryable: true, message: 'Local gateway disconnected' }),
  lost: row({ code: 'LOST', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 13, retryable: false, message: 'The machine stopped during the call: it may have run', fix: 'Check the machine before you try again.' }),
  unreadable: row({ code: 'UNREADABLE', http: 500, trpc: 'INTERNAL_SERVER_ERROR', jsonrpc: -32603, rpc: 5, retryable: false, message: 'A part of the record of this call cannot be read', fix: 'Check the machine to see what was done.' }),
  shuttingDown: row({ code: 'SHUTTING_DOWN', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 16, retryable: true, retryAfterSeconds: 2, message: 'The server is shutting down' }),
  storeUnavailable: row({ code: 'STORE_UNAVAILABLE', http: 503, trpc: 'SERVICE_UNAVAILABLE', jsonrpc: -32002, rpc: 5, retryable: true, message: 'The server cannot write to its store', fix: 'Free space on its disk; the server recovers automatically.' }),
} as const satisfies Record<string, ErrorRow>;

const rows = new Map<string, ErrorRow>(Object.values(errorTable).map((one) => [one.code, one]));

/** The row of a code; undefined for a code that is not in the table. */
export const errorRow = (code: string): ErrorRow | undefined => rows.get(code);

export type ErrorName = keyof typeof errorTable;
export type ErrorCode = (typeof errorTable)[ErrorName]['code'];

/** An error between processes. It never contains a stack or an input. */
export const errorBody = z.object({ code: z.string(), message: z.string(), fix: z.string().optional() });
export type ErrorBody = z.infer<typeof errorBody>;
