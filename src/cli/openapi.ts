import { toOpenApiDocument } from '../api/openapi/openapi-document.ts';
import { operations } from '../api/operations.ts';

/** `millrace openapi`: prints the API as an OpenAPI document. */
export function printOpenApi(): number {
  process.stdout.write(openApiText());
  return 0;
}

/** Returns the document as committed under docs/. */
export function openApiText(): string {
  return `${JSON.stringify(toOpenApiDocument(operations), null, 1)}\n`;
}
