import type { JsonValue } from '../src/generated/types.ts'

/** Whether a type of the SDK accepts the same values as one of the contracts, to which some JSON is `unknown`. */
export type Same<Sdk, Contract> = [Sdk] extends [Contract] ? ([Contract] extends [Loose<Sdk>] ? true : false) : false

type Loose<T> = [JsonValue] extends [T] ? unknown : T extends object ? { [K in keyof T]: Loose<T[K]> } : T

/** What a schema describes in JSON. */
export type Sent<Schema extends { _zod: { input: unknown } }> = Schema['_zod']['input']
