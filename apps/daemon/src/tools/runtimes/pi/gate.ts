/** The title of its questions, and the status that says that it is loaded. */
export const gateName = 'drawbridge';
export const yes = 'yes';

/**
 * The extension that asks before each tool, as a module of Pi. What it asked about is what runs. Where it is
 * not loaded Pi would not ask: no task is given before its status is there.
 */
export const gate = `export default (pi) => {
  pi.on('session_start', (_event, ctx) => ctx.ui.setStatus('${gateName}', 'asks'));
  pi.on('tool_call', async ({ toolCallId, toolName, input }, ctx) => {
    const given = JSON.stringify({ toolCallId, toolName, input });
    const answer = await ctx.ui.input('${gateName}', given);
    if (answer !== '${yes}') return { block: true, reason: answer ?? 'The user did not answer' };
    for (const name of Object.keys(input)) delete input[name];
    Object.assign(input, JSON.parse(given).input);
  });
};
`;
