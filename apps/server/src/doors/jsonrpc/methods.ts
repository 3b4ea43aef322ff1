import type { Method } from './method.ts';
import * as agent from './methods/agent.ts';
import * as canvas from './methods/canvas.ts';
import * as config from './methods/config.ts';
import * as node from './methods/node.ts';
import * as nodes from './methods/nodes.ts';
import * as numbers from './methods/numbers.ts';
import * as pairing from './methods/pairing.ts';
import * as questions from './methods/questions.ts';
import * as services from './methods/services.ts';
import * as sessions from './methods/sessions.ts';
import * as system from './methods/system.ts';
import * as tools from './methods/tools.ts';

/** The methods of each topic: its file exports nothing else, as the compiler sees here. */
const topics: readonly Record<string, Method>[] = [
  agent,
  canvas,
  config,
  node,
  nodes,
  numbers,
  pairing,
  questions,
  services,
  sessions,
  system,
  tools,
];

/** Every method by its name. A `Map`, so that no name reaches a prototype. */
export const methods: ReadonlyMap<string, Method> = new Map(
  topics.flatMap((topic) => Object.values(topic)).map((one) => [one.name, one]),
);
