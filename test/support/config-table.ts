import { configForm, type FormEntry, type FormField } from '../../src/config/form.js';

/** The configuration as a Markdown table, for the README; made from the same schema as everything else. */
export function configTable(): string {
  const rows = Object.entries(configForm()).flatMap(([name, entry]) => rowsOf(name, entry));
  return ['| setting | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowsOf(name: string, entry: FormEntry): string[] {
  if ('fields' in entry) return Object.entries(entry.fields).map(([key, field]) => row(`${name}.${key}`, field));
  if (entry.type !== 'array') return [row(name, entry)];
  const items = Object.entries(entry.items).map(([key, { description }]) => `${key}: ${description}`);
  return [`| \`${name}\` | none | ${entry.label}; each with ${items.join(' ')} |`];
}

function row(name: string, { default: value, description = '', options, min, max }: FormField): string {
  const choices = options ? ` One of ${options.map(option => `\`${option.value}\``).join(', ')}.` : '';
  const bounds = min !== undefined && max !== undefined ? ` ${min} to ${max}.` : '';
  return `| \`${name}\` | ${value === '' ? 'empty' : `\`${value}\``} | ${description}${choices}${bounds} |`;
}
