import type { Description, Schema } from '@cobro/generate/schema-types'
import { type SdkOperation, sdkOperations } from '@cobro/generate/sdk-operations'
import { slugOf } from '../markdown/render-markdown.ts'

/** An operation with its place in the reference. */
export interface OperationChapter {
  operation: SdkOperation
  /** Its object in the API description. */
  object: Schema
  /** The chapter, as the API description names it. */
  tag: string
  /** Unique in its chapter: what an operation for keys and its twin for users do has one summary. */
  heading: string
}

/** Returns every operation of the API description, in its order. */
export function operationChapters(description: Description): OperationChapter[] {
  const operations = new Map(sdkOperations(description).map(operation => [operation.id, operation]))
  const objects = operationObjects(description)
  return objects.map(object => {
    const operation = operations.get(object.operationId)
    if (!operation) throw new Error(`${object.operationId} is not an operation.`)
    const { summary, tags } = object
    const twins = objects.filter(other => other.summary === summary && other.tags[0] === tags[0])
    const caller = operation.methods.keys ? 'with an API key' : 'as a user'
    return { operation, object, tag: String(tags[0]), heading: twins.length > 1 ? `${summary} ${caller}` : summary }
  })
}

/** Returns the address of an operation in the reference. */
export function addressOfOperation({ tag, heading }: OperationChapter): string {
  return `/docs/api/${slugOf(tag)}#${slugOf(heading)}`
}

function operationObjects({ paths }: Description): Schema[] {
  const methods = ['get', 'post', 'put', 'delete']
  return Object.values<Schema>(paths).flatMap(path => methods.flatMap(method => path[method] ?? []))
}
