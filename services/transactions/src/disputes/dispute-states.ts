import type { DisputeStatus, EventName } from '@cobro/contracts'

/** The place of a dispute's amount: held while it is open, returned to the merchant, or lost. */
export type DisputeStage = 'held' | 'returned' | 'lost'

export const stageOf: Readonly<Record<DisputeStatus, DisputeStage>> = {
  open: 'held',
  under_review: 'held',
  won: 'returned',
  lost: 'lost',
  accepted: 'lost',
  expired: 'lost',
}

interface DisputeTransition {
  /** Whether only the acquirer may do it, for instance to correct the outcome of a dispute. */
  acquirerOnly: boolean
  emits: readonly Extract<EventName, `dispute.${string}`>[]
}

const by = (acquirerOnly: boolean) =>
  ({
    under_review: { acquirerOnly, emits: ['dispute.under_review'] },
    won: { acquirerOnly, emits: ['dispute.won'] },
    lost: { acquirerOnly, emits: ['dispute.lost'] },
    accepted: { acquirerOnly, emits: ['dispute.accepted'] },
    expired: { acquirerOnly, emits: ['dispute.expired'] },
  }) satisfies Partial<Record<DisputeStatus, DisputeTransition>>

const { under_review, ...ends } = by(false)
const { won, lost, accepted, expired } = by(true)

/** Every allowed transition, by the status it starts from and the one it leads to. */
const transitions: Readonly<Record<DisputeStatus, Partial<Record<DisputeStatus, DisputeTransition>>>> = {
  open: { under_review, ...ends },
  under_review: ends,
  won: { lost, accepted, expired },
  lost: { won },
  accepted: { won },
  expired: { won },
}

export type DisputeActor = 'caller' | 'acquirer'

/** Returns the transition between two statuses, or undefined when `actor` may not make it. */
export function disputeTransition(from: DisputeStatus, to: DisputeStatus, actor: DisputeActor) {
  const transition = transitions[from][to]
  return transition && (actor === 'acquirer' || !transition.acquirerOnly) ? transition : undefined
}
