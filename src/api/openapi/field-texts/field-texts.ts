/** Descriptions of fields by model and name. A nested object without a name is listed by its field. */
export type FieldTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;
