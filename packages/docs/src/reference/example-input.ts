import { operations } from '@cobro/contracts'
import { exampleOf } from '@cobro/generate/schema-examples'
import type { Schemas } from '@cobro/generate/schema-types'
import type { SdkOperation } from '@cobro/generate/sdk-operations'

/** Returns the smallest input that the contract accepts, made of the examples of its fields. */
export function exampleInput({ id, body }: SdkOperation, schemas: Schemas): Record<string, unknown> | undefined {
  if (!body) return undefined
  const contract = operations.find(operation => operation.id === id)?.body
  let input = exampleOf(schemas[body.name], schemas) as Record<string, unknown>
  for (const name of Object.keys(input).reverse()) {
    const { [name]: _dropped, ...smaller } = input
    if (Object.keys(smaller).length > 0 && contract?.safeParse(smaller).success) input = smaller
  }
  return input
}
