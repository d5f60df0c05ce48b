import { join } from 'node:path'
import { apiDescription } from '@cobro/http/openapi'
import { type StackServiceName, stackServiceNames } from '@cobro/local-stack'
import { settingsExample } from '@cobro/runtime'

export const repository = join(import.meta.dirname, '..', '..', '..')

/** Every generated file by its path in the repository. What they say follows from the code alone. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const examples = await Promise.all(
    stackServiceNames.map(async name => [`services/${name}/.env.example`, await environmentExample(name)] as const),
  )
  return {
    // Where a deployment is to be had, its gateway says in the description that it serves.
    'openapi.json': `${JSON.stringify(apiDescription({ serverUrl: '/' }), null, 2)}\n`,
    ...Object.fromEntries(examples),
  }
}

async function environmentExample(name: StackServiceName): Promise<string> {
  const { settings } = await import(join(repository, 'services', name, 'src', 'config.ts'))
  return settingsExample(name, settings)
}
