import { join } from 'node:path'
import { apiDescription } from '@cobro/http/openapi'
import { type StackServiceName, stackServiceNames } from '@cobro/local-stack'
import { settingsExample } from '@cobro/runtime'
import { operationsTable } from './operations-table.ts'
import { eventTypes } from './sdk-types.ts'
import { repositoryRoot } from './source-lists.ts'

/** Returns the files that describe the API and the settings, by path. Depends only on the code. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const examples = await Promise.all(
    stackServiceNames.map(async name => [`services/${name}/.env.example`, await environmentExample(name)] as const),
  )
  // The gateway of a deployment serves a description with its own URL.
  const description = apiDescription({ serverUrl: '/' })
  return {
    'openapi.json': `${JSON.stringify(description, null, 2)}\n`,
    'packages/sdk/src/generated/event-types.ts': eventTypes(description),
    'docs/operations.md': operationsTable(),
    ...Object.fromEntries(examples),
  }
}

async function environmentExample(name: StackServiceName): Promise<string> {
  const { settings } = await import(join(repositoryRoot, 'services', name, 'src', 'config.ts'))
  return settingsExample(name, settings)
}
