/** A server in a process of its own, with limits that `kindred serve` has no flags for: started by limited-server.ts. */
import { startServer } from '../../dist/shells/server/index.js';

const server = await startServer(JSON.parse(process.argv[2]));
process.send({ url: server.url, token: server.operatorToken });
process.once('SIGTERM', async () => {
  await server.close();
  process.disconnect();
});
