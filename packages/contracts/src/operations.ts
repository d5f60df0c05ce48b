import * as declared from './all-resources.ts'
import type { Operation } from './declarations/operation.ts'
import type { AnyResource } from './declarations/resource.ts'

const objects: [string, unknown][] = Object.entries(declared)
const ofResources = objects.flatMap(([, value]) => (isResource(value) ? Object.values(value.operations) : []))
const others = objects.flatMap(([name, value]) => (name.endsWith('Operations') ? Object.values(value as object) : []))

/** The version of the API. */
export const apiVersion = '1.0.0'

/**
 * Every operation of the API, for the gateway's route table and the API description: the five of
 * each exported resource, and those of each `…Operations` object, which replace a resource's with the same id.
 */
export const operations: readonly Operation[] = [
  ...new Map([...ofResources, ...others].map((one: Operation) => [one.id, one])).values(),
]

function isResource(value: unknown): value is AnyResource {
  return typeof value === 'object' && value !== null && 'row' in value && 'operations' in value
}
