import type { JsonValue } from '../src/generated/types.ts'

/** Whether a type of the SDK is that of the contracts, field by field. To the contracts, some JSON is `unknown`. */
export type Same<Sdk, Contract> = Equal<Plain<Sdk>, Plain<Contract>>

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Writes intersections as one object and any JSON as a mark, without fields that cannot be sent. */
type Plain<T> = 0 extends 1 & T
  ? 'any'
  : [JsonValue] extends [T]
    ? 'json'
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [K in keyof T as [T[K]] extends [undefined] ? never : K]: Plain<T[K]> }
        : T

/** What a schema describes in JSON. */
export type Sent<Schema extends { _zod: { input: unknown } }> = Schema['_zod']['input']
