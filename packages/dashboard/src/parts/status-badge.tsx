import styles from './status-badge.module.css'

type Tone = 'success' | 'brand' | 'danger' | 'warning' | 'quiet'

const tones: Record<string, Tone> = {
  ...{ approved: 'success', completed: 'success', paid: 'success', succeeded: 'success', won: 'success' },
  ...{ active: 'brand', pending: 'brand', processing: 'brand', delivering: 'brand', under_review: 'brand' },
  ...{ declined: 'danger', failed: 'danger', chargeback: 'danger', exhausted: 'danger', lost: 'danger' },
  ...{ disabled: 'warning', manual: 'warning', open: 'warning' },
}

/** A state as a dot and a word: color alone says nothing to some. */
export function StatusBadge({ status, word }: { status: string; word: string }) {
  return (
    <span className={styles.badge} data-tone={tones[status] ?? 'quiet'}>
      {word}
    </span>
  )
}
