import type { EngineClient } from '../engine/client.js';
import { endpointLabel } from '../engine/endpoint.js';
import { inspectImage } from '../engine/image.js';
import { createCodeSandbox } from '../sandbox/create.js';
import { InvalidImage } from '../sandbox/errors.js';
import type { CatalogImage } from './catalog.js';
import { conformance } from './conformance.js';
import { inspectFiles } from './inspection.js';
import type { CheckReport } from './report.js';
import { smokeTests } from './smoke.js';

/** An uid that no image knows. */
const STRANGER = 12345;

/**
 * Puts an image to the proof: its files, then a real sandbox with all guarantees, a conformance list and the smoke tests of
 * its manifest.
 * @throws InvalidImage when it is not there
 */
export async function checkImage(client: EngineClient, image: CatalogImage): Promise<CheckReport> {
  const { reference, manifest } = image;
  const facts = await inspectImage(client, reference);
  if (!facts) {
    throw new InvalidImage(
      `${client.label} has no image ${reference}. \`code-sandbox images build ${manifest.name}\` makes it.`,
    );
  }
  const findings = await inspectFiles(client, image, facts);
  // Only root may say whom code runs as, and a rootless engine runs it as its own user.
  const uid = process.getuid?.() === 0 && !client.facts.rootless ? STRANGER : undefined;
  await using sandbox = await createCodeSandbox({
    order: 'engine',
    engine: { engine: client.facts.kind, socket: endpointLabel(client.endpoint), allowDegraded: true },
    root: { image: reference },
    ...(uid === undefined ? {} : { safety: { runAs: `${uid}:${uid}` } }),
  });
  findings.push({
    title: 'the sandbox’s guarantees hold in it',
    ok: sandbox.available,
    detail: sandbox.available ? '' : sandbox.backend,
  });
  if (sandbox.available) {
    findings.push(...(await conformance(sandbox, image, uid)), ...(await smokeTests(sandbox, image, uid)));
  }
  const ok = findings.every(finding => finding.ok);
  return { image: manifest.name, reference, id: facts.id, ok, sizeBytes: facts.sizeBytes, findings };
}
