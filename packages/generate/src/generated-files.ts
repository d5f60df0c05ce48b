import { join } from 'node:path'
import { apiDescription } from '@cobro/http/openapi'
import { type StackServiceName, stackServiceNames } from '@cobro/local-stack'
import { settingsExample } from '@cobro/runtime'
import { cliCommands } from './cli-commands.ts'
import { cliEventSchemas } from './cli-event-schemas.ts'
import { operationsTable } from './operations-table.ts'
import { sdkClient } from './sdk-clients.ts'
import { sdkExamples } from './sdk-examples.ts'
import { sdkProofs } from './sdk-proofs.ts'
import { sdkErrorCodes, sdkTypes } from './sdk-types.ts'
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
    'packages/sdk/src/generated/types.ts': sdkTypes(description),
    'packages/sdk/src/transport/error-codes.ts': sdkErrorCodes(),
    'packages/sdk/src/generated/merchant-methods.ts': sdkClient(description, 'keys'),
    'packages/sdk/src/generated/user-methods.ts': sdkClient(description, 'users'),
    'packages/sdk/src/generated/examples.ts': await sdkExamples(description),
    'packages/cli/src/generated/method-commands.ts': cliCommands(description),
    'packages/cli/src/generated/event-schemas.ts': cliEventSchemas(description),
    'packages/sdk/test-types/api-types.ts': sdkProofs(description),
    'docs/operations.md': operationsTable(),
    ...Object.fromEntries(examples),
  }
}

async function environmentExample(name: StackServiceName): Promise<string> {
  const { settings } = await import(join(repositoryRoot, 'services', name, 'src', 'config.ts'))
  return settingsExample(name, settings)
}
