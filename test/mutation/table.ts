import type { Mutation } from './mutation.js';

const INTRODUCTION = `# Mutation check

Each hardening option is there because an attack succeeds without it. \`make mutate\` takes the options out one at a time,
at the product's seams (the body of the engine's create call, the supervisor's source, the policy's functions), with the
probe switched off, runs the attacks named here, and fails where one of them does not succeed. \`make test\` does so on one
engine. A control run first shows that none succeeds with nothing taken out.

Where several layers keep the same thing, all are taken out together: the second column names the others. The table is
made by \`npx vitest run --project unit test/unit/mutation -u\`, and a test compares it with the mutations.
`;

const REST = `## Not taken out one by one

| option | why not |
| --- | --- |
| process namespace | the supervisor refuses to start as anything but PID 1 of a namespace (exit code 123), so that without it nothing runs |
| a fresh session keyring | the filter refuses every keyring call and runc joins a keyring of its own: three layers |
| descriptors closed from 3 up | the engines hand none on; test/supervisor shows it with descriptors left open |
| every process killed at the end | the end of PID 1 ends its namespace as well; test/supervisor shows that they are dead before the trailer |
| images' VOLUME, HEALTHCHECK, ENTRYPOINT, ENV | the attacks need images of their own: test/fault |
| SELinux labels | no host with SELinux was at hand |
| bounds of a request (guarantee 13), other refusals of the policy | pure functions, tested one by one in test/unit/policy |
`;

/** docs/mutation.md. */
export function tableOf(mutations: Record<string, Mutation[]>): string {
  const sections = Object.entries(mutations).map(([where, list]) => {
    const rows = list.map(({ option, layers = '', notices }) => `| ${option} | ${layers} | ${notices.join('; ')} |`);
    const title = where[0]!.toUpperCase() + where.slice(1);
    return [
      `## ${title}\n`,
      '| taken out | together with | attacks that then succeed |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ];
  });
  return [INTRODUCTION, ...sections.flat(), REST].join('\n');
}
