// A process that starts a Podman service of its own and says where, for a test that kills it.
import { thisHost } from '../../dist/engine/discover/host.js';
import { startPodmanService } from '../../dist/engine/discover/service.js';
import { createLocalProcess } from '../../dist/launcher/process.js';

const client = await startPodmanService(createLocalProcess(), thisHost());
console.log(client.endpoint.socketPath);
setInterval(() => {}, 1000);
