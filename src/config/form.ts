import { z } from 'zod';
import { configSchema } from './schema.js';

/** A field of the form that Aalis's web UI shows. */
export interface FormField {
  type: 'string' | 'number' | 'boolean' | 'select';
  label: string;
  description?: string;
  default?: unknown;
  options?: Array<{ label: string; value: string }>;
  min?: number;
  max?: number;
  integer?: boolean;
}
/** A group of fields, or a list whose items have these fields. */
export type FormEntry =
  | FormField
  | { label: string; fields: Record<string, FormField> }
  | { type: 'array'; label: string; items: Record<string, FormField>; default: unknown[] };

interface JsonSchema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** `memoryMiB` -> `Memory MiB`, `runAs` -> `Run as`. */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/ (?!MiB$)[A-Z]/g, found => found.toLowerCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function field(name: string, schema: JsonSchema): FormField {
  const base = { label: labelOf(name), description: schema.description, default: schema.default };
  if (schema.enum) return { ...base, type: 'select', options: schema.enum.map(value => ({ label: value, value })) };
  if (schema.type === 'boolean') return { ...base, type: 'boolean' };
  if (schema.type === 'string') return { ...base, type: 'string' };
  return {
    ...base,
    type: 'number',
    min: schema.minimum,
    max: schema.maximum,
    ...(schema.type === 'integer' ? { integer: true } : {}),
  };
}

function fields(properties: Record<string, JsonSchema> = {}): Record<string, FormField> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, field(name, schema)]));
}

function entry(name: string, schema: JsonSchema): FormEntry {
  const label = schema.description ?? labelOf(name);
  if (schema.type === 'object') return { label, fields: fields(schema.properties) };
  if (schema.type === 'array') return { type: 'array', label, items: fields(schema.items?.properties), default: [] };
  return field(name, schema);
}

/** The form for Aalis's web UI, derived from the one zod schema (Aalis's schema-config vocabulary). */
export function configForm(): Record<string, FormEntry> {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema;
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, part]) => [name, entry(name, part)]));
}
