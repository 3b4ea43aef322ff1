import { expect, it } from 'vitest';
import { errorTable } from './errors.ts';

it('numbers and sentences of every code', () => {
  const rows = Object.values(errorTable).map((row) => [
    row.code,
    row.http,
    row.trpc,
    row.jsonrpc,
    row.retryable,
    row.message,
  ]);
  expect(rows).toEqual([
    ['BAD_REQUEST', 400, 'BAD_REQUEST', -32602, false, 'The request is not valid'],
    ['TOO_DEEP', 400, 'BAD_REQUEST', -32600, false, 'The JSON is nested too deeply'],
    ['UNAUTHORIZED', 401, 'UNAUTHORIZED', -32001, false, 'Not signed in'],
    ['TWO_SESSIONS', 400, 'BAD_REQUEST', -32602, false, 'Two sessions came with one request'],
    ['FORBIDDEN', 403, 'FORBIDDEN', -32003, false, 'Forbidden'],
    ['PAIRING_TOKEN_USED', 403, 'FORBIDDEN', -32003, false, 'This pairing token was used already'],
    [
      'PAIRING_TOKEN_EXPIRED',
      403,
      'FORBIDDEN',
      -32003,
      false,
      'This pairing token has expired, or a newer command replaced it',
    ],
    ['PAIRING_ENDED', 403, 'FORBIDDEN', -32003, false, 'The pairing of this machine was ended'],
    ['FOREIGN_ORIGIN', 403, 'FORBIDDEN', -32003, false, 'This request came from another site'],
    ['GATEWAY_DISABLED', 403, 'FORBIDDEN', -32003, false, 'Remote use is turned off'],
    ['NOT_FOUND', 404, 'NOT_FOUND', -32004, false, 'Not found'],
    ['UNKNOWN_TOOL', 404, 'NOT_FOUND', -32601, false, 'The machine does not offer this tool'],
    ['METHOD_NOT_ALLOWED', 405, 'METHOD_NOT_SUPPORTED', -32601, false, 'This method is not allowed here'],
    ['TIMED_OUT', 408, 'TIMEOUT', -32008, true, 'Local gateway timed out'],
    ['ALREADY_DECIDED', 409, 'CONFLICT', -32009, false, 'This confirmation has been answered already'],
    ['CONFIRMATION_CLOSED', 410, 'CONFLICT', -32010, false, 'This confirmation is no longer open'],
    ['CONFLICTING_RESULT', 409, 'CONFLICT', -32009, false, 'This call has another answer already'],
    ['REPLACED', 409, 'CONFLICT', -32009, false, 'Another process has connected as this machine'],
    ['ALREADY_SET_UP', 409, 'CONFLICT', -32009, false, 'The owner account exists already'],
    ['DATA_FOLDER_IN_USE', 409, 'CONFLICT', -32009, false, 'Another server runs on this data folder'],
    ['EMAIL_TAKEN', 409, 'CONFLICT', -32009, false, 'There is an account with this e-mail address already'],
    ['DECISION_NOT_OFFERED', 400, 'BAD_REQUEST', -32602, false, 'The machine did not offer this decision'],
    [
      'REACH_NOT_OFFERED',
      400,
      'BAD_REQUEST',
      -32602,
      false,
      'The machine did not offer this reach with this decision',
    ],
    ['RULE_REFUSED', 400, 'BAD_REQUEST', -32602, false, 'The machine refused this rule'],
    ['RULES_NOT_PERMITTED', 403, 'FORBIDDEN', -32003, false, 'This can be done at the machine only'],
    ['RULES_UNSUPPORTED', 501, 'NOT_IMPLEMENTED', -32004, false, 'This machine cannot show its rules'],
    [
      'IDEMPOTENCY_KEY_REUSED',
      422,
      'UNPROCESSABLE_CONTENT',
      -32602,
      false,
      'This idempotency key belongs to another call',
    ],
    ['TOO_LARGE', 413, 'PAYLOAD_TOO_LARGE', -32013, false, 'Too large'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'UNSUPPORTED_MEDIA_TYPE', -32015, false, 'Send application/json'],
    ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS', -32029, true, 'Too many requests'],
    ['TOO_MANY_TOKENS', 409, 'CONFLICT', -32009, false, 'You have the maximum number of access tokens'],
    ['TOO_MANY_MACHINES', 409, 'CONFLICT', -32009, false, 'You have the maximum number of machines'],
    ['MACHINE_NAME_TAKEN', 409, 'CONFLICT', -32009, false, 'Another machine has this name'],
    ['MACHINE_CONNECTED', 409, 'CONFLICT', -32009, false, 'The machine is connected'],
    ['TOO_MANY_CALLS', 429, 'TOO_MANY_REQUESTS', -32029, true, 'Too many calls are waiting'],
    ['CONFLICT', 409, 'CONFLICT', -32009, true, 'This was changed meanwhile'],
    ['RUN_ACTIVE', 409, 'CONFLICT', -32009, true, 'The agent is still working on an earlier message'],
    ['QUEUE_FULL', 429, 'TOO_MANY_REQUESTS', -32029, true, 'Too many messages wait in this thread'],
    ['TOO_MANY_ARTIFACTS', 429, 'TOO_MANY_REQUESTS', -32029, false, 'The canvas of this thread is full', 'Delete documents of it.'],
    ['TOO_MANY_RUNS', 429, 'TOO_MANY_REQUESTS', -32029, true, 'The agent works on too many threads'],
    ['BUDGET_SPENT', 429, 'TOO_MANY_REQUESTS', -32029, false, "Today's budget of the agent is spent"],
    ['AGENT_OFF', 503, 'SERVICE_UNAVAILABLE', -32002, false, 'The agent has no model'],
    ['MODEL_REFUSED', 502, 'BAD_GATEWAY', -32005, false, 'The model refused the request'],
    ['MODEL_UNAVAILABLE', 503, 'SERVICE_UNAVAILABLE', -32002, true, 'The model cannot be reached'],
    ['CANCELLED', 499, 'CLIENT_CLOSED_REQUEST', -32099, false, 'The call was cancelled'],
    ['DENIED', 403, 'FORBIDDEN', -32003, false, 'Access denied by the user'],
    ['INTERNAL', 500, 'INTERNAL_SERVER_ERROR', -32603, true, 'Something went wrong on the server'],
    ['TOOL_FAILED', 502, 'BAD_GATEWAY', -32005, false, 'The tool failed on the machine'],
    ['NOT_CONNECTED', 503, 'SERVICE_UNAVAILABLE', -32002, true, 'Local gateway is not connected'],
    ['DISCONNECTED', 503, 'SERVICE_UNAVAILABLE', -32002, true, 'Local gateway disconnected'],
    [
      'LOST',
      503,
      'SERVICE_UNAVAILABLE',
      -32002,
      false,
      'The machine stopped during the call: it may have run',
    ],
    [
      'UNREADABLE',
      500,
      'INTERNAL_SERVER_ERROR',
      -32603,
      false,
      'A part of the record of this call cannot be read',
    ],
    ['SHUTTING_DOWN', 503, 'SERVICE_UNAVAILABLE', -32002, true, 'The server is shutting down'],
    ['STORE_UNAVAILABLE', 503, 'SERVICE_UNAVAILABLE', -32002, true, 'The server cannot write to its store'],
  ]);
});

it('a code names one row', () => {
  const codes = Object.values(errorTable).map((row) => row.code);
  expect(new Set(codes).size).toBe(codes.length);
});

it('the texts of the specification (6.1)', () => {
  expect([
    errorTable.timedOut.message,
    errorTable.disconnected.message,
    errorTable.notConnected.message,
  ]).toEqual(['Local gateway timed out', 'Local gateway disconnected', 'Local gateway is not connected']);
});
