import type { Command } from 'commander';
import { checkImage } from '../images/check.js';
import { renderReport } from '../images/report.js';
import { billOfMaterials } from '../images/sbom.js';
import { builtImage } from './built.js';
import { type ImagesOptions, imagesCommand, withImages } from './images-command.js';
import { print } from './report.js';

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
        const { reference, facts } = await builtImage(client, catalog, name);
        print({ json: true }, await billOfMaterials(client, reference, facts.id), () => '');
      }),
  );
}
