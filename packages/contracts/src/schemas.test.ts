import { expect, it } from 'vitest';
import type { z } from 'zod';
import { createOwnerInput } from './accounts.ts';
import { listCallsInput } from './calls.ts';
import { confirmationAnswer } from './confirmation.ts';
import { daemonEvent } from './daemon-event.ts';
import { initBody, responseBody } from './daemon-surface.ts';
import { pairingToken, requestId, sessionKey } from './ids.ts';
import { updateSettingsInput } from './settings.ts';
import { tool } from './tool.ts';
import { toolCall } from './tool-call.ts';
import { toolResult } from './tool-result.ts';

const passes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const of = (length: number) => 'a'.repeat(length);
const account = { setupToken: 'x', name: 'Ann', email: 'ann@example.org', password: of(10) };
const plainTool = { name: 'read_file', inputSchema: { type: 'object' } };

it.each<[string, z.ZodType, unknown, boolean]>([
  ['a pairing token', pairingToken, `gw_${of(32)}`, true],
  ['a pairing token that is short', pairingToken, `gw_${of(31)}`, false],
  ['a pairing token that is long', pairingToken, `gw_${of(33)}`, false],
  ['a pairing token with a line break', pairingToken, `gw_${of(32)}\n`, false],
  ['a session key as a pairing token', pairingToken, `sess_${of(32)}`, false],
  ['a session key', sessionKey, `sess_${of(32)}`, true],
  ['a pairing token as a session key', sessionKey, `gw_${of(32)}`, false],
  ['a request id of 64 characters', requestId, of(64), true],
  ['a request id of 65 characters', requestId, of(65), false],
  ['a request id with a slash', requestId, '../x', false],
  ['an empty request id', requestId, '', false],

  ['a tool', tool, plainTool, true],
  ['a tool with a name of 64 characters', tool, { ...plainTool, name: of(64) }, true],
  ['a tool with a name of 65 characters', tool, { ...plainTool, name: of(65) }, false],
  ['a tool with a letter of another script in its name', tool, { ...plainTool, name: 'wrіte_file' }, false],
  ['a tool with a blank at the end of its name', tool, { ...plainTool, name: 'read_file ' }, false],
  ['a description at the limit', tool, { ...plainTool, description: of(20_000) }, true],
  ['a description over the limit', tool, { ...plainTool, description: of(20_001) }, false],
  ['a tool without a schema', tool, { name: 'read_file' }, false],

  ['200 tools', initBody, { rootPath: '/', tools: Array(200).fill(plainTool) }, true],
  ['201 tools', initBody, { rootPath: '/', tools: Array(201).fill(plainTool) }, false],
  ['a bad tool among others: read one by one later', initBody, { rootPath: '/', tools: [1] }, true],
  ['no root path', initBody, { rootPath: '', tools: [] }, false],

  ['a call', toolCall, { name: 'read_file', arguments: {} }, true],
  ['a call with a list for arguments', toolCall, { name: 'read_file', arguments: [] }, false],
  ['a response with a result', responseBody, { result: { content: [] } }, true],
  ['a response with an error', responseBody, { error: 'no' }, true],
  ['a response with neither', responseBody, {}, false],
  ['a result with text', toolResult, { content: [{ type: 'text', text: '' }] }, true],
  [
    'an image that is not base64',
    toolResult,
    { content: [{ type: 'image', data: '<', mimeType: 'image/png' }] },
    false,
  ],
  ['a block of an unknown type', toolResult, { content: [{ type: 'html', text: '' }] }, false],

  ['an answer', confirmationAnswer, { approved: true, resourceDecision: 'allowOnce' }, true],
  ['a denial without a decision', confirmationAnswer, { approved: false }, true],
  ['an unknown decision', confirmationAnswer, { approved: true, resourceDecision: 'allow' }, false],
  ['an answer for another user', confirmationAnswer, { approved: true, userId: 'x' }, false],

  ['an owner', createOwnerInput, account, true],
  ['a password of nine', createOwnerInput, { ...account, password: of(9) }, false],
  ['a password of 129', createOwnerInput, { ...account, password: of(129) }, false],
  ['an owner who names a role', createOwnerInput, { ...account, role: 'admin' }, false],
  ['a page of 100', listCallsInput, { limit: 100 }, true],
  ['a page of 101', listCallsInput, { limit: 101 }, false],
  ['a list of another user', listCallsInput, { userId: 'x' }, false],
  ['one switch', updateSettingsInput, { disabledByUser: true }, true],
  ['no switch', updateSettingsInput, {}, false],

  ['an unknown event', daemonEvent, { type: 'reboot', payload: {} }, false],
  [
    'a request',
    daemonEvent,
    {
      type: 'filesystem-request',
      payload: { requestId: 'r1', toolCall: { name: 'read_file', arguments: {} } },
    },
    true,
  ],
  ['an unknown reason', daemonEvent, { type: 'gateway-disconnect', payload: { reason: 'bored' } }, false],
])('%s', (_name, schema, value, expected) => {
  expect(passes(schema, value)).toBe(expected);
});
