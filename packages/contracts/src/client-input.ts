import { z } from 'zod';

const jsonObject = z.record(z.string(), z.unknown());

/** What a tool may request from its caller's client: methods of MCP. */
export const inputMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type InputMethod = (typeof inputMethods)[number];

/** The annotation of a tool that may ask its caller's client for something: `asksClient: true`. */
export const asksClientAnnotation = 'asksClient';

/**
 * In the `_meta` of a result: the tool needs these answers and is called again with them and the unchanged
 * `requestState`. The content beside it is for callers without such a client.
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

/** The argument with a `ClientInput` for tools with the annotation. Removed from every caller's calls. */
export const inputArgument = '_input';

/** The client's answers are only arguments, never a user's decision. */
export const clientInput = z.object({
  /** The methods that the client declared; elicitation means its forms. */
  methods: z.array(z.enum(inputMethods)),
  /** Whether the client can show a page: elicitation in the mode `url`. */
  showsPages: z.boolean().optional(),
  responses: jsonObject.optional(),
  requestState: z.string().optional(),
});
export type ClientInput = z.infer<typeof clientInput>;
