/** The routes of the agent: what they answer for another's ids is tested in two-tenants-agent.test.ts. */
export const isOfAgent = (url: string): boolean =>
  /^\/(api\/v1|rest)\/instance-ai\/(chat|events|threads|files|memory|usage|credits|settings)(\/|$)/.test(url);
