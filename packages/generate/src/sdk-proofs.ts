import * as contracts from '@cobro/contracts'
import { type Description, nameOf } from './schema-types.ts'
import { sdkOperations } from './sdk-operations.ts'
import { eventNames } from './sdk-types.ts'
import { generatedNote } from './source-lists.ts'

const header = `${generatedNote}
// Each line that is an error shows a type of the SDK that differs from what the API takes or sends.
import type * as contracts from '@cobro/contracts'
import type * as Api from '../src/generated/types.ts'
import type { Sent, Same } from './same.ts'
`

/** Prints comparisons of the types of the SDK with the schemas of the contracts, for the type check. */
export function sdkProofs(description: Description): string {
  const callable = sdkOperations(description).filter(({ methods }) => methods.keys ?? methods.users)
  const lines = callable.flatMap(({ id, body, response }) => {
    const place = placeOf(id)
    return [
      ...(body ? [proof(`${id}Body`, body.name, `NonNullable<Sent<typeof ${place}['body']>>`)] : []),
      ...(response ? [proof(`${id}Answer`, nameOf(response), `Sent<typeof ${place}['response']>`)] : []),
    ]
  })
  const names = Object.keys(description.webhooks)
  const events = eventNames(description).map((name, at) =>
    proof(`${name}Data`, `${name}['data']`, `Sent<typeof contracts.events['${names[at]}']['data']>`),
  )
  return `${header}\n${[...lines, ...events].join('\n')}\n`
}

function proof(name: string, type: string, schema: string): string {
  return `export const ${name}: Same<Api.${type}, ${schema}> = true`
}

/** Returns where the contracts export an operation. */
function placeOf(id: string): string {
  for (const [name, value] of Object.entries<unknown>(contracts)) {
    const groups: [string, unknown][] = [
      [`contracts.${name}`, name.endsWith('Operations') ? value : undefined],
      [`contracts.${name}['operations']`, memberOf(value, 'operations')],
    ]
    for (const [place, group] of groups) {
      const found = Object.entries(typeof group === 'object' && group !== null ? group : {}).find(
        ([, operation]) => memberOf(operation, 'id') === id && contracts.operations.includes(operation),
      )
      if (found) return `${place}['${found[0]}']`
    }
  }
  throw new Error(`The contracts do not export the operation ${id}`)
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
