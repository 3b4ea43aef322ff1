import { cleanUp } from '../clean-up.ts';

/** Sets variables of this process until the test ends, or all tests of what is shared. */
export const setVariables = (variables: Record<string, string>): void => {
  const before = new Map(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  cleanUp(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
};
