import { apiDescription } from '@cobro/http/openapi'
import { exampleUrl } from '../site/example-url.ts'
import type { GeneratedPage } from './generated-page.ts'
import { addressOfOperation, type OperationChapter, operationChapters } from './operation-chapters.ts'

/** Returns the page of the SDK: an introduction, and every method of the two clients with the operation that it calls. */
export function sdkPage(introduction: string): GeneratedPage {
  const chapters = operationChapters(apiDescription({ serverUrl: exampleUrl }))
  const markdown = `${introduction.trim()}

## Methods with an API key

${methodTable(chapters, 'keys')}

## Methods of users and operators

${methodTable(chapters, 'users')}
`
  return { path: 'reference/sdk', markdown }
}

function methodTable(chapters: readonly OperationChapter[], client: 'keys' | 'users'): string {
  const rows = chapters.flatMap(chapter => {
    const { ids, body, query, isList, methods } = chapter.operation
    const method = methods[client]
    if (method === undefined) return []
    const input = body || query.length > 0 ? [isList || !body?.required ? 'input?' : 'input'] : []
    const call = `\`${method}(${[...ids, ...input].join(', ')})\``
    return [{ method, line: `| ${call} | [${chapter.heading}](${addressOfOperation(chapter)}) |` }]
  })
  const lines = rows.toSorted((one, other) => one.method.localeCompare(other.method)).map(({ line }) => line)
  return ['| Method | Calls |', '| --- | --- |', ...lines].join('\n')
}
