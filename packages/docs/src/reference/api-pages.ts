import { flattened, nameOf, type Schema, type Schemas } from '@cobro/generate/schema-types'
import { apiDescription } from '@cobro/http/openapi'
import { slugOf } from '../markdown/render-markdown.ts'
import { exampleUrl } from '../site/example-url.ts'
import { callExamples } from './call-examples.ts'
import { fieldTable, parameterTable } from './field-table.ts'
import type { GeneratedPage } from './generated-page.ts'
import { type OperationChapter, operationChapters } from './operation-chapters.ts'

/** Returns a page for each chapter of the API reference, written from the API description. */
export function apiPages(): GeneratedPage[] {
  const description = apiDescription({ serverUrl: exampleUrl })
  const { schemas } = description.components
  const byTag = Map.groupBy(operationChapters(description), ({ tag }) => tag)
  return description.tags.map(({ name, description: text }: Schema) => {
    const there = byTag.get(name) ?? []
    const chapters = there.map(chapter => chapterText(chapter, schemas))
    const markdown = [`# ${name}`, text, ...chapters, ...objectChapters(there, schemas)].join('\n\n')
    return { path: `api/${slugOf(name)}`, markdown: `${markdown}\n` }
  })
}

function chapterText({ object, operation, heading }: OperationChapter, schemas: Schemas): string {
  const { method, path, query, body, response } = operation
  const input = body && fieldTable(schemas[body.name], schemas, 'input')
  return [
    `## ${heading}`,
    `\`${method} ${path}\``,
    object.description,
    callExamples(operation, schemas),
    query.length > 0 && `### Query\n\n${parameterTable(query, schemas)}`,
    input && `### Body\n\n${input}`,
    response && `### Answer\n\n${answerOf(response, schemas)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Names the object that an operation answers with; its fields stand once, at the end of the page. */
function answerOf(response: Schema, schemas: Schemas): string {
  const { name, isList } = answeredObject(response, schemas)
  if (name === undefined) return fieldTable(response, schemas, 'output') || 'An empty object.'
  const others = Object.keys(fieldsOf(response, schemas)).filter(field => field !== 'data')
  const beside = others.length > 0 && !isList ? `, beside it ${others.map(field => `\`${field}\``).join(', ')}` : ''
  return `${isList ? 'A list of' : 'One'} [${name}](#${slugOf(name)}-object)${beside}.`
}

function objectChapters(there: readonly OperationChapter[], schemas: Schemas): string[] {
  const names = there.flatMap(({ operation: { response } }) =>
    response ? (answeredObject(response, schemas).name ?? []) : [],
  )
  return [...new Set(names)].map(name => {
    const { description = '' } = schemas[name]
    return `## ${name} object\n\n${description}\n\n${fieldTable(schemas[name], schemas, 'output')}`
  })
}

function answeredObject(response: Schema, schemas: Schemas): { name: string | undefined; isList: boolean } {
  const { data } = fieldsOf(response, schemas)
  const named: Schema | undefined = data === undefined ? response : (data.items ?? data)
  return { name: named?.$ref ? nameOf(named) : undefined, isList: data?.items !== undefined }
}

function fieldsOf(response: Schema, schemas: Schemas): Record<string, Schema> {
  return flattened(response.$ref ? schemas[nameOf(response)] : response, schemas).properties ?? {}
}
