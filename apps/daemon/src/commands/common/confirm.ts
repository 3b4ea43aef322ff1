/** Asks yes or no on stderr; a cancelled prompt is a no. The prompts are loaded when they are needed. */
export const confirm = async (message: string, initialValue: boolean): Promise<boolean> => {
  const prompts = await import('@clack/prompts');
  return (await prompts.confirm({ output: process.stderr, message, initialValue })) === true;
};
