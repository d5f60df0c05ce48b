import { createHash } from 'node:crypto'
import type { Id, PayableId, VelocityRule } from '@cobro/contracts'

/** What the rules count, of an attempt. An address and a card are unknown if the gateway or the acquirer names none. */
export interface Counted {
  payable_id: PayableId
  merchant_id: Id<'mrc'>
  address_digest: string | null
  card_fingerprint: string | null
}

/** The subject of each rule: texts that never equal that of another kind. */
const subjects: Record<VelocityRule, (counted: Counted) => string | undefined> = {
  card_attempts: ({ card_fingerprint }) => card_fingerprint ?? undefined,
  address_attempts: ({ address_digest }) => address_digest ?? undefined,
  address_declines: ({ address_digest }) => address_digest ?? undefined,
  payable_attempts: ({ payable_id }) => payable_id,
  payable_declines: ({ payable_id }) => payable_id,
  merchant_attempts: ({ merchant_id }) => merchant_id,
}

/** Returns what a rule counts for, or undefined if it is unknown: then the rule does not apply. */
export function subjectOf(rule: VelocityRule, counted: Counted): string | undefined {
  return subjects[rule](counted)
}

/** Returns what stands for an address in the tables of attempts and blocks, which need to recognize it but not to show it. */
export function digestOfAddress(address: string | undefined): string | null {
  return address === undefined ? null : `adr_${createHash('sha256').update(address).digest('base64url')}`
}

/** Returns what stands for a card. The acquirer's text gets a form of ours, so that it equals no other subject. */
export function digestOfCard(fingerprint: string | undefined): string | null {
  return fingerprint === undefined ? null : `crd_${createHash('sha256').update(fingerprint).digest('base64url')}`
}
