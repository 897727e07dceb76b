import type { Command } from 'commander';
import { inspectImage } from '../engine/image.js';
import { checkImage } from '../images/check.js';
import { renderReport } from '../images/report.js';
import { billOfMaterials } from '../images/sbom.js';
import { InvalidImage } from '../sandbox/errors.js';
import { type ImagesOptions, imagesCommand, print, withImages } from './images-command.js';

/** `images check` and `images sbom` */
export function addCheck(images: Command): void {
  imagesCommand(images, 'check <names...>', 'run the smoke tests and a conformance list in a real sandbox')
    .addHelpText('after', '\nExit code: 1 when an image fails.')
    .action((names: string[], options: ImagesOptions) =>
      withImages(options, async ({ client, catalog }) => {
        const reports = [];
        for (const image of names.map(name => catalog.get(name))) {
          const report = await checkImage(client, image);
          reports.push(report);
          if (!options.json) console.log(renderReport(report));
        }
        if (options.json) print(options, reports, () => '');
        if (!reports.every(({ ok }) => ok)) process.exitCode = 1;
      }),
    );
  imagesCommand(images, 'sbom <name>', 'print what is in an image, as a CycloneDX document (always JSON)').action(
    (name: string, options: ImagesOptions) =>
      withImages(options, async ({ client, catalog }) => {
        const reference = catalog.find(name)?.reference ?? name;
        const facts = await inspectImage(client, reference);
        if (!facts) throw new InvalidImage(`${client.label} has no image ${reference}.`);
        print({ json: true }, await billOfMaterials(client, reference, facts.id), () => '');
      }),
  );
}
