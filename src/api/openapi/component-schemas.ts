import { models } from '../models/all.ts';
import { describeField } from './field-texts/describe-field.ts';

/** A JSON Schema as in OpenAPI 3.1. */
export type Schema = Record<string, unknown>;

const NAMES: ReadonlySet<string> = new Set(Object.keys(models));

/** Pattern by which TypeBox marks a record with arbitrary keys. */
const ANY_KEY = '^.*$';

/** Collects the named models that a document refers to. */
export type Components = {
  /** Returns the schema with each named model in it replaced by a reference. */
  refer(schema: object, field?: string): Schema;
  /**
   * Returns a reference to a response that many operations share. If a name occurs again, the first response is kept.
   */
  referAnswer(name: string, answer: Schema): Schema;
  /** Returns every model that was referred to so far and the models it depends on, sorted by name. */
  schemas(): Record<string, Schema>;
  /** Returns every shared response, sorted by name. */
  answers(): Record<string, Schema>;
};

export function createComponentSchemas(): Components {
  const found = new Map<string, Schema>();
  const answers = new Map<string, Schema>();
  const refer = (schema: object, field = ''): Schema => {
    const { title, type } = fieldsOf(schema);
    if (typeof title !== 'string' || !NAMES.has(title)) return written(schema, field);
    keep(title);
    const reference = { $ref: `#/components/schemas/${title}` };
    return Array.isArray(type) && type.includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference;
  };
  const property = (model: string, name: string, schema: object): Schema => {
    const { description: format, ...plain } = refer(schema, name);
    const text = describeField(model, name);
    if (text === undefined) return plain;
    return { description: format === undefined ? text : `${text} Value: ${format}.`, ...plain };
  };
  const keep = (name: string) => {
    const schema = Object.entries(models).find(([key]) => key === name)?.[1];
    if (schema === undefined || found.has(name)) return;
    found.set(name, {});
    found.set(name, written(schema));
  };
  // `field` is the field that contains the schema. It identifies an object that has no name.
  const written = (schema: object, field = ''): Schema => {
    const { properties, items, anyOf, patternProperties, values: _values, ...plain } = fieldsOf(schema);
    const model = typeof plain.title === 'string' ? plain.title : field;
    return {
      ...plain,
      ...(properties !== undefined && { properties: mapValues(properties, (name, one) => property(model, name, one)) }),
      ...(items !== undefined && { items: refer(Object(items), field) }),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.map((one) => refer(Object(one))) }),
      ...(patternProperties !== undefined && { additionalProperties: refer(Object(patternProperties)[ANY_KEY]) }),
    };
  };
  return {
    refer,
    referAnswer(name, answer) {
      if (!answers.has(name)) answers.set(name, answer);
      return { $ref: `#/components/responses/${name}` };
    },
    schemas: () => inOrder(found),
    answers: () => inOrder(answers),
  };
}

function inOrder(named: ReadonlyMap<string, Schema>): Record<string, Schema> {
  return Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

// Schemas have internal properties of TypeBox. Only properties that JSON can express belong in a document.
function fieldsOf(schema: object): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith('~')));
}

function mapValues(properties: unknown, change: (name: string, schema: object) => Schema): Record<string, Schema> {
  const changed = Object.entries(Object(properties)).map(([name, schema]) => [name, change(name, Object(schema))]);
  return Object.fromEntries(changed);
}
