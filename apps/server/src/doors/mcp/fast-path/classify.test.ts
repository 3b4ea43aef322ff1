import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from './plain-request.ts';

const versions = [
  '2025-11-25',
  '2025-06-18',
  '2024-11-05',
  '2026-07-28',
  '2099-01-01',
  ' 2025-11-25',
  '',
  undefined,
];
const json = fc.jsonValue({ maxDepth: 2 });
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.oneof({ weight: 3, arbitrary }, json);

const meta = fc.oneof(
  fc.constant({}),
  fc.record({ progressToken: maybe(fc.oneof(fc.string(), fc.integer(), fc.double())) }),
  fc.record({
    'io.modelcontextprotocol/protocolVersion': maybe(fc.constantFrom('2026-07-28', '2025-11-25')),
  }),
  fc.dictionary(fc.string(), json),
);
const params = fc.oneof(
  fc.record({ name: maybe(fc.string()), arguments: json, _meta: maybe(meta) }, { requiredKeys: [] }),
  fc.dictionary(fc.string(), json),
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
    id: maybe(fc.oneof(fc.string(), fc.integer(), fc.double())),
    method: maybe(
      fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'notifications/cancelled'),
    ),
    params: maybe(params),
    result: json,
    error: json,
    other: json,
  },
  { requiredKeys: [] },
);
const plain = fc.record({
  jsonrpc: fc.constant('2.0'),
  id: fc.oneof(fc.string(), fc.integer(), fc.double()),
  method: fc.constantFrom('tools/call', 'tools/list'),
  params: fc.oneof(params, json),
});

const asTheProtocolDoes = (body: unknown, version: string | undefined) => {
  const headers = { version, method: undefined, name: undefined };
  expect(classify(body, headers)).toEqual(
    classifyInboundRequest({
      httpMethod: 'POST',
      ...(version !== undefined && { protocolVersionHeader: version }),
      body,
    }),
  );
};

describe('a message is of the kind that the protocol’s own server sees in it', () => {
  it.each<[string, unknown]>([
    ['whatever it is', fc.oneof(message, json)],
    ['a request for tools', plain],
  ])('%s', (_name, bodies) => {
    fc.assert(fc.property(bodies as fc.Arbitrary<unknown>, fc.constantFrom(...versions), asTheProtocolDoes), {
      numRuns: 1_000,
    });
  });
});
