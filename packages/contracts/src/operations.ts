import * as declared from './all-resources.ts'
import type { Operation } from './declarations/operation.ts'
import type { AnyResource } from './declarations/resource.ts'

const objects: [string, unknown][] = Object.entries(declared)
const ofResources = objects.flatMap(([, value]) => (isResource(value) ? Object.values(value.operations) : []))
const others = objects.flatMap(([name, value]) => (name.endsWith('Operations') ? Object.values(value as object) : []))

/**
 * Every operation of the API, from which the gateway's route table and the API description follow: the five of each exported
 * resource, and those of each exported `…Operations` object. The latter replace operations of a resource that have the same id.
 */
export const operations: readonly Operation[] = [
  ...new Map([...ofResources, ...others].map((one: Operation) => [one.id, one])).values(),
]

function isResource(value: unknown): value is AnyResource {
  return typeof value === 'object' && value !== null && 'row' in value && 'operations' in value
}
