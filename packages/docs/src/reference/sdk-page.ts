import { type SdkOperation, sdkOperations } from '@cobro/generate/sdk-operations'
import { apiDescription } from '@cobro/http/openapi'
import { slugOf } from '../markdown/render-markdown.ts'
import { exampleUrl } from '../site/example-url.ts'
import type { GeneratedPage } from './generated-page.ts'

/** Returns the page of the SDK: an introduction, and every method of the two clients with the operation that it calls. */
export function sdkPage(introduction: string): GeneratedPage {
  const description = apiDescription({ serverUrl: exampleUrl })
  const chapters = new Map<string, string>()
  for (const path of Object.values<Record<string, { operationId?: string; tags?: string[] }>>(description.paths))
    for (const { operationId, tags } of Object.values(path)) chapters.set(String(operationId), String(tags?.[0]))
  const operations = sdkOperations(description)
  const tableOf = (client: 'keys' | 'users') => methodTable(operations, client, chapters)
  const markdown = `${introduction.trim()}

## Methods with an API key

${tableOf('keys')}

## Methods of users and operators

${tableOf('users')}
`
  return { path: 'reference/sdk', markdown }
}

function methodTable(
  operations: readonly SdkOperation[],
  client: 'keys' | 'users',
  chapters: ReadonlyMap<string, string>,
): string {
  const rows = operations.flatMap(operation => {
    const method = operation.methods[client]
    if (method === undefined) return []
    const { id, ids, summary, body, query, isList } = operation
    const input = body || query.length > 0 ? [`${isList || !body?.required ? 'input?' : 'input'}`] : []
    const link = `/docs/api/${slugOf(String(chapters.get(id)))}#${slugOf(summary)}`
    return [[method, `| \`${method}(${[...ids, ...input].join(', ')})\` | [${summary}](${link}) |`] as const]
  })
  const lines = rows.toSorted(([a], [b]) => a.localeCompare(b)).map(([, line]) => line)
  return ['| Method | Calls |', '| --- | --- |', ...lines].join('\n')
}
