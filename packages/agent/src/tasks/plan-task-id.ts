/** How an agent names the task of a plan that it works on. */
export const planTaskId = (planId: string, taskId: string): string => `${planId}/${taskId}`;

/** Empty ids, which no plan has, for an agent without a task. */
export const planTaskOf = (id: string | null): { planId: string; taskId: string } => {
  const [planId = '', taskId = ''] = (id ?? '').split('/');
  return { planId, taskId };
};
