import { errors } from '../common/errors.ts';
import { defineTool, isGranted, type DaemonTool } from '../common/tool.ts';
import { factsOf } from './facts.ts';
import { listedTools, type ListedTool } from './list.ts';
import { saveDownload } from './downloads/save-download.ts';
import { closedResult, type BrowserSession } from './session.ts';
import { addressIn, askAbout, resourcesOf } from './call-resources.ts';
import { copyForUpload } from './downloads/uploads.ts';

const gated = (session: BrowserSession, tool: ListedTool): DaemonTool =>
  defineTool({
    ...factsOf(tool),
    resources: async (args, context) => resourcesOf(session, { tool, args, context }),
    asks: (args, resources) => askAbout(tool, args, resources),
    run: async (args, context) => {
      // The page may be another one by now.
      const resources = resourcesOf(session, { tool, args, context });
      if (!resources.every((resource) => isGranted(context, resource)))
        throw errors.notGranted({ message: 'Access denied: the page changed in the meantime; look again' });
      if (tool.name === 'browser_close') {
        await session.close();
        return closedResult();
      }
      const address = addressIn(args);
      const paths = Array.isArray(args['paths']) ? args['paths'].map(String) : undefined;
      return session.call(
        tool.name,
        {
          ...args,
          ...(address !== undefined && { url: address }),
          ...(paths && {
            paths: await copyForUpload(paths, (await session.running()).uploads, context),
          }),
        },
        context,
      );
    },
  });

export const browserTools = (session: BrowserSession): DaemonTool[] => [
  ...listedTools.map((tool) => gated(session, tool)),
  saveDownload(session),
];
