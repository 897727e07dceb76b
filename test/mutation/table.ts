import type { Mutation } from './mutation.js';
import type { Rest } from './rest.js';

const INTRODUCTION = `# Mutation check

Each hardening option is there because an attack succeeds without it. \`make mutate\` takes the options out one at a time,
at the product's seams (the body of the engine's create call, the launchers' command line and settings, the supervisor's
source, the policy's functions), with the probe switched off, runs the attacks named here, and fails where one of them does
not succeed. \`make test\` takes each out once (what is asked of an engine on Docker, the rest on crun, what is asked of launchers on
both of them), \`make mutate\` on every backend. A control run first shows that none
succeeds with nothing taken out.

Where several layers keep the same thing, all are taken out together: the second column names the others. The table is
made by \`npx vitest run --project unit test/unit/mutation -u\`, and a test compares it with the mutations.
`;

const REST = `## Not taken out one by one

| option | why not | tests that fail without it |
| --- | --- | --- |
`;

function rowOf({ option, why, tests = [] }: Rest): string {
  const named = tests.map(([file, name]) => `test/${file}: ${name}`);
  return `| ${option} | ${why} | ${named.join('; ')} |\n`;
}

/** docs/mutation.md. */
export function tableOf(mutations: Record<string, Mutation[]>, rest: readonly Rest[]): string {
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
  return [INTRODUCTION, ...sections.flat(), REST + rest.map(rowOf).join('')].join('\n');
}
