import { z } from 'zod';

const jsonObject = z.record(z.string(), z.unknown());

/** What a tool may want of its caller's client, in MCP's words. */
export const inputMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type InputMethod = (typeof inputMethods)[number];

/** The annotation of a tool that may ask its caller's client for something: `asksClient: true`. */
export const asksClientAnnotation = 'asksClient';

/**
 * In the `_meta` of a result: the tool needs these answers, by names of its own, and is called again with them. `requestState`
 * comes back with them as it was given. The content beside it is for callers that have no such client.
 */
export const inputRequiredMeta = 'drawbridge/inputRequired';
export const inputRequired = z.object({
  inputRequests: z.record(
    z.string().min(1).max(64),
    z.object({ method: z.enum(inputMethods), params: jsonObject.optional() }),
  ),
  requestState: z.string().max(16_384).optional(),
});
export type InputRequired = z.infer<typeof inputRequired>;

/** The argument that carries what the client can do and what it answered, to tools with the annotation alone. From a caller it is removed. */
export const inputArgument = '_input';

/** What the client answered is no more than an argument: it never stands for a person's decision. */
export const clientInput = z.object({
  /** The methods that the client declared; that of elicitation stands for its forms. */
  methods: z.array(z.enum(inputMethods)),
  /** Whether it can show a page: elicitation in the mode `url`. */
  showsPages: z.boolean().optional(),
  responses: jsonObject.optional(),
  requestState: z.string().optional(),
});
export type ClientInput = z.infer<typeof clientInput>;
