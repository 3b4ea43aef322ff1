const declaration = '"x-mcp-header":';
const known = new WeakMap<object, boolean>();

/** Whether a schema wants parts of the arguments in headers too (`x-mcp-header`, revision 2026-07-28). */
export const headerParametersIn = (schema: object | undefined): boolean => {
  if (!schema) return false;
  const found = known.get(schema) ?? JSON.stringify(schema).includes(declaration);
  known.set(schema, found);
  return found;
};
