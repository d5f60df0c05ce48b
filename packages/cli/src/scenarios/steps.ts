/** A step of a scenario. Texts in it may name what earlier steps returned, as `${id.field}`. */
export type Step = CallStep | PayStep | CashStep | PayAgainStep | AwaitStep

/** Calls a method of the SDK. */
export interface CallStep {
  id?: string
  call: string
  with: Record<string, unknown>
  /** Repeats the call until each of these fields of its result has one of the values. */
  until?: Values
  within?: string
}

/** Pays a session or link as its payer, with a card. It has to be approved, unless a decline is expected. */
export interface PayStep {
  id?: string
  pay: string
  card: string
  expect?: { declined: string }
}

/** Chooses cash for a session or link. */
export interface CashStep {
  id?: string
  payInCash: string
}

/** Sends another payment for what is paid already. */
export interface PayAgainStep {
  payAgain: string
}

/** Waits for an event since the start of the scenario that no step before has waited for. */
export interface AwaitStep {
  id?: string
  await: string
  where?: Values
  within?: string
}

/** The values of fields by their paths; of several, one is enough. */
export type Values = Readonly<Record<string, unknown>>

/** The keys of each kind of step. The first one says which it is. */
export const stepKeys = {
  call: ['call', 'id', 'with', 'until', 'within'],
  pay: ['pay', 'id', 'card', 'expect'],
  payInCash: ['payInCash', 'id'],
  payAgain: ['payAgain'],
  await: ['await', 'id', 'where', 'within'],
} as const
export type StepKind = keyof typeof stepKeys

/** The version of the format of scenario files. */
export const scenarioVersion = 1

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

const longestMs = 86_400_000

/** Returns the milliseconds of a duration such as `500ms`, `10s` or `2m`, up to 24 h; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+)(ms|s|m)$/.exec(text) ?? []
  const durationMs = Number(number) * (unitsMs[unit] ?? 0)
  return durationMs <= longestMs ? durationMs : undefined
}

/** A reference to what an earlier step returned. */
export const references = /\$\{([\w.-]+)\}/g
