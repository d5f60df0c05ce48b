/** A closed lock. */
export function Lock() {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <rect x="3" y="7" width="10" height="7" rx="1.8" fill="currentColor" />
      <path d="M5.2 7V4.9a2.8 2.8 0 0 1 5.6 0V7" fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  )
}

/** A spinner. */
export function Spinner({ large = false }: { large?: boolean }) {
  return (
    <svg class={large ? 'spinner spinner-large' : 'spinner'} viewBox="0 0 24 24" aria-hidden="true">
      <circle class="spinner-track" cx="12" cy="12" r="9.5" />
      <circle class="spinner-arc" cx="12" cy="12" r="9.5" pathLength="100" />
    </svg>
  )
}

/** A bank card. */
export function CardIcon() {
  return (
    <svg class="icon method-icon" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="2.5" y="5" width="19" height="14" rx="2.5" />
      <path d="M3 10h18M6.5 15h4" />
    </svg>
  )
}

/** A banknote. */
export function CashIcon() {
  return (
    <svg class="icon method-icon" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="2.5" y="6" width="19" height="12" rx="2" />
      <circle cx="12" cy="12" r="2.8" />
      <path d="M6 9.2v.1M18 14.8v.1" />
    </svg>
  )
}

/** An exclamation mark in a disc. */
export function Warning() {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="7.2" fill="currentColor" />
      <path d="M8 4v4.8" class="icon-stroke" />
      <circle cx="8" cy="11.6" r="1.1" class="icon-dot" />
    </svg>
  )
}

const strokes = {
  done: 'M15 24.5l6.2 6.2L33.5 18',
  stopped: 'M17.5 17.5l13 13M30.5 17.5l-13 13',
  late: 'M24 14.5V24l6 4',
  missing: 'M24 14v13M24 33.4v.1',
} as const

export type EmblemKind = keyof typeof strokes

/** The large round icon of a final screen. */
export function Emblem({ kind }: { kind: EmblemKind }) {
  return (
    <svg class={`emblem emblem-${kind}`} viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="23" class="emblem-disc" />
      <path d={strokes[kind]} class="emblem-stroke" pathLength="100" />
    </svg>
  )
}
